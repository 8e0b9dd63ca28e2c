"""A program that prints what seeds lead to: ``python seeded_walks.py THREADS``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from replicheck.explorer.engines.fuzzing.campaign import Campaign
from replicheck.explorer.engines.fuzzing.model_family import ModelFamily
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.instances import Instance
from replicheck.explorer.model import Model
from replicheck.explorer.runtime.digest import NAME, digest
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of
from searches.walks import strategies
from shipped import CATALOGUE
from toys import add, counter, start_again

FAULTS = frozenset({"start_again", "become_leader"})


def walk_digest(found: Simulation[Any]) -> str:
    """A number that stands for all that walks came to."""
    course = (found.walks, found.steps, found.seen, sorted(found.actions.items()))
    return digest(repr(course).encode(), NAME)


def within(model: Model[Any], bounds: Mapping[str, int]) -> Model[Any]:
    """The model, whatever the bounds are."""
    return model


def name_of(instance: Instance) -> str:
    """The name of the action."""
    return instance.name


def models() -> dict[str, Model[Any]]:
    """A model of ours that never changes, and one of Kafka."""
    shipped = CATALOGUE
    scenario = shipped.scenarios["replication"]
    kafka = model_of(scenario, shipped.systems["replication"], Place("replication"))
    return {"counter": counter(add, start_again, limit=25), "replication": kafka}


def main() -> None:
    """Walk each model with each strategy, and in a campaign."""
    for name, model in models().items():
        for strategy, make in strategies(FAULTS.__contains__).items():
            threads, limits = int(sys.argv[1]), WalkLimits(steps=30, walks=500)
            found = simulate(model, [], make, 7, limits, threads=threads)
            print(name, strategy, walk_digest(found))
        family = ModelFamily(partial(within, model), {}, [], FAULTS, name_of)
        campaign_result = Campaign(
            family, WalkLimits(30, 60), lambda progress: None
        ).run(7)
        print(name, "fuzz", walk_digest(campaign_result.walks))


if __name__ == "__main__":
    main()
