"""The runs of the cluster's scenarios, taken by the cluster with fetcher threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.cluster.bounds import Bounds as BoundsOfCluster
from replicheck.model.cluster.protocols import cluster_model
from replicheck.model.cluster.state import Cluster
from replicheck.model.composed.bounds import ComposedBounds
from replicheck.model.composed.protocols import composed_model
from replicheck.model.vocabulary import Offset

Actions = Mapping[str, Callable[[Any], Iterator[Any]]]
COPYING = re.compile(
    r"(fetch|truncate)\(leader=(\d), follower=(\d), partition=\d\)",
)
PHASES = {
    "fetch": ("maybe_fetch", "handle_fetch_request", "process_fetch_request"),
    "truncate": (
        "fetch_truncating_partitions",
        "handle_offset_for_leader_epoch_request",
        "truncate_to_epoch_end_offsets",
        "truncate_to_high_watermark",
    ),
}
"""What a thread does for a step of the simple copying, as far as it is enabled."""
DIFFERENT = {"logs", "fetchers", "replicas", "remotes", "bounds", "replacements"}
"""The cells of the cluster that are not alike in both, or not as a whole."""


def runs(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Setups and sequences of the cluster's scenarios, but those in others."""
    every = {
        name: (*scenario.setup, *scenario.sequence)
        for name, scenario in catalogue.scenarios.items()
        if scenario.model == "cluster"
    }
    return {
        name: steps
        for name, steps in every.items()
        if not any(
            steps == other[: len(steps)] and (len(steps), name) < (len(other), another)
            for another, other in every.items()
        )
    }


def side_by_side(
    catalogue: Catalogue, scenario: Scenario, steps: tuple[str, ...]
) -> Iterator[tuple[str, Cluster, Cluster]]:
    """Take a run in both models, and yield both states after each step."""
    systems = catalogue.systems
    initial = scenario.initial
    bounds = BoundsOfCluster(**scenario.bounds)
    simple = cluster_model(
        bounds=bounds, start=systems["cluster"].initials[initial](bounds)
    )
    wider = ComposedBounds(**scenario.bounds)
    whole = composed_model(
        bounds=wider, start=systems["composed"].initials[initial](wider)
    )
    place = Place(scenario.name)
    (one,), (other,) = simple.initial_states(), whole.initial_states()
    first, second = (Stepper(model).actions for model in (simple, whole))
    for step in steps:
        one = taken(first, one, step, place)
        other = taken_by_threads(second, other, step, place)
        yield step, one, other


def taken(actions: Actions, state: Any, step: str, place: Place) -> Any:
    """The state after a step, which has to be enabled."""
    label, _, which = step.partition(" [")
    after = list(actions[label](state))
    assert after, f"{place}: {step} is not enabled"
    return after[int(which.rstrip("]") or 1) - 1]


def taken_by_threads(actions: Actions, state: Any, step: str, place: Place) -> Any:
    """Take the same step, or those of the thread that copies in its place."""
    copying = COPYING.fullmatch(step)
    if copying is None:
        step = step.replace("append(", "append_records_to_leader(")
        return taken(actions, state, step, place)
    kind, leader, follower = copying.groups()
    thread = f"follower={follower}, leader={leader}, fetcher=0"
    for phase in PHASES[kind]:
        state = next(iter(actions[f"{phase}({thread})"](state)), state)
    return state


def shared(state: Cluster) -> dict[str, Any]:
    """Cells that have to be alike in both, whatever copies the records."""
    partitions = state.bounds.partition_ids
    cells = {
        name: getattr(state, name)
        for name in Cluster.__annotations__
        if name not in DIFFERENT
    }
    for broker in state.bounds.broker_ids:
        for partition in partitions:
            fetcher = state.fetchers[broker][partition]
            logs = state.logs[broker][partition]
            replica = state.replicas[broker][partition]
            cells[f"{broker} {partition}"] = (
                (fetcher.leader, fetcher.epoch),
                [(log.exists, log.records) for log in logs],
                replica.with_high_watermark(Offset(0)),
            )
    return cells
