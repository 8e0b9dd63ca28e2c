"""The fetching brokers: all interleavings of each scenario, both engines, purity."""

from __future__ import annotations

import pytest
from attrs import evolve

from engines import ENGINES, name_of
from kafka_tests.interleavings import (
    check,
    require_actions_by_budget,
    require_counts,
    require_expected_report,
    scenarios_of,
)
from kafka_tests.model_contract import (
    require_pure_actions,
    require_rules_and_sources,
    require_summaries,
)
from replicheck.explorer.engine import Engine
from replicheck.explorer.report import Verdict
from replicheck.invariants.fetching import safety, steps, witnesses
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.initial_states import with_leader, without_leader
from replicheck.model.fetching.protocols import KAFKA_2_5, fetching_model
from replicheck.model.fetching.state import Brokers
from replicheck.model.protocol import ProtocolModel
from searches.properties import properties_of
from shipped import CATALOGUE
from slow import by_states

PROPERTIES = properties_of(safety.SAFETY, steps.STEPS, witnesses.WITNESSES)


@pytest.mark.parametrize(
    "name",
    [
        "fetching-move-resumes-too-far",
        "fetching-move-forgets-an-epoch",
        "fetching-move-copies-truncated-records",
    ],
)
def test_what_is_wrong_with_moves_is_repaired(name: str) -> None:
    """Every run from the same start is right."""
    scenario = evolve(CATALOGUE.scenarios[name], protocol="repaired")
    assert check(scenario, PROPERTIES).verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", scenarios_of("fetching"))
def test_all_interleavings(name: str) -> None:
    """Verdict, counts and witnesses are those that the scenario expects."""
    require_expected_report(name, PROPERTIES)


SMALL = {
    "roles": with_leader(FetchingBounds()),
    "beginning": without_leader(FetchingBounds(max_leader_epoch=1)),
    "failure": with_leader(FetchingBounds(log_errors=1, stops=1)),
    "directory": with_leader(
        FetchingBounds(
            partitions=2, directories=2, max_leader_epoch=0, directory_failures=1
        )
    ),
    "restart": with_leader(
        FetchingBounds(max_leader_epoch=0, crashes=1, restarts=1, checkpoints=1)
    ),
    "unknown": with_leader(FetchingBounds(records=0, unknown_leaders=1)),
    "rotation": with_leader(
        FetchingBounds(partitions=2, max_leader_epoch=0, fetch_size=1)
    ),
    "requests": with_leader(FetchingBounds(lost_requests=1, repeated_requests=1)),
    "move": with_leader(FetchingBounds(directories=2, max_leader_epoch=0, moves=1)),
    "move-failure": with_leader(
        FetchingBounds(
            directories=2, records=0, max_leader_epoch=0, moves=1, directory_failures=1
        )
    ),
}


COUNTS = {
    "roles": (797, 1_816, 20),
    "beginning": (2_687, 6_690, 26),
    "failure": (6_096, 20_719, 22),
    "directory": (916, 1_710, 20),
    "restart": (159, 319, 16),
    "unknown": (136, 304, 13),
    "rotation": (52, 67, 14),
    "requests": (5_556, 18_570, 22),
    "move": (181, 346, 16),
    "move-failure": (309, 722, 13),
}
"""States, steps and depth."""


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
@pytest.mark.parametrize("name", by_states(SMALL, lambda name: COUNTS[name][0]))
def test_engines_agree(engine: Engine, name: str) -> None:
    """Every engine finds the same counts and violations."""
    require_counts(engine, small(name), PROPERTIES, COUNTS[name])


def small(name: str) -> ProtocolModel:
    """A small instance of the fetching brokers."""
    return fetching_model(KAFKA_2_5, SMALL[name].bounds, SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_actions_are_pure(name: str) -> None:
    """An action gives the same steps again, also for an equal state made otherwise."""
    require_pure_actions(small(name), Brokers)


def test_every_action_names_its_rules_and_its_source() -> None:
    """A Kafka engineer finds each function by rule id and by Kafka's method."""
    require_rules_and_sources(KAFKA_2_5.actions)


def test_every_property_has_summary_and_status() -> None:
    """Sentences begin with a capital; invariants say whether they hold."""
    require_summaries((*safety.SAFETY, *steps.STEPS))


def test_a_fault_without_budget_is_no_action() -> None:
    """It does not cost a look, and need not be declared dead."""
    model = fetching_model(bounds=FetchingBounds())
    with_crashes = fetching_model(bounds=FetchingBounds(crashes=1))
    faults = {"fail_directory", "restart", "stop_replica"}
    require_actions_by_budget(model, with_crashes, faults)
