"""Runs of the cluster in fewer orders show what all show, and simpler ones more."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import attrs
import pytest

from change_search import ChangeSearch, ChangesFound, Shown
from changed_observations import DROP, Change, changes
from checkout import OBSERVATIONS
from fewer_runs import can_forget_watermarks, with_fewer_runs, with_simpler_runs
from replicheck.cli.observations.observation_file import load
from replicheck.cli.observations.observed_model import ObservedModel
from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Observation,
    Streams,
)
from replicheck.explorer.engines.trace_validation.rest import NO_STEPS, Rest
from replicheck.explorer.engines.trace_validation.state_table import nothing_owed
from replicheck.explorer.instances import instances
from replicheck.invariants.cluster.observed.observed_labels import label_errors
from replicheck.model.cluster.state import Cluster
from shipped import CATALOGUE

ENOUGH = 400_000
SYSTEM = CATALOGUE.systems["cluster"]
BOUNDS = {
    "brokers": 2,
    "records": 1,
    "metadata": 1,
    "isr_notifications": 1,
    "session_expiries": 1,
    "controller_moves": 1,
    "isr_shrinks": 1,
    "restarts": 1,
}
OFTEN = {"send_again": 6.0, "expire_session": 3.0, "fetch": 0.5, "deliver_watch": 0.5}
"""How likely actions are taken whose orders with others are left out."""
LAST_APPEND = "log 2-0 (broker-2.log.gz:353)"
NO_WATERMARKS = frozenset({"lead", "high_watermark", "epochs"})


def small_cluster(draw: random.Random) -> ObservedModel:
    """A cluster of two brokers, in which requests are there twice."""
    counts = {name: draw.choice((0, 1)) for name in ("directory_failures", "crashes")}
    bounds = SYSTEM.bounds(**BOUNDS, **counts, duplicates=draw.choice((1, 2)))
    unobserved = draw.choice((frozenset(), NO_WATERMARKS))
    protocol, controllers = SYSTEM.protocols[0], {1: 0, 2: 1, 3: 0}
    start = SYSTEM.initials["with-topic"](bounds)
    observed = ObservedSystem.of(SYSTEM, protocol, controllers, unobserved)
    return ObservedModel(
        observed,
        attrs.evolve(SYSTEM.build(protocol, bounds), start=start),
        protocol.name,
        "with-topic",
        attrs.asdict(bounds),
        Streams.of((), None),
        {},
        controllers,
        unobserved,
        NO_STEPS,
    )


def seen_on_a_walk(asked: ObservedModel, draw: random.Random) -> list[Observation]:
    """What a random walk shows, a millisecond a step."""
    return walk(asked, draw)[0]


def walk(
    asked: ObservedModel, draw: random.Random
) -> tuple[list[Observation], Cluster]:
    """What a random walk shows, and where it ends."""
    actions = instances(asked.model.actions, asked.model.domains)
    (state,), seen = asked.model.initial_states(), list[Observation]()
    for time in range(draw.randint(6, 40)):
        enabled = [(one, after) for one in actions for after in one(state)]
        likely = [OFTEN.get(one.name, 1.0) for one, _ in enabled]
        ((action, after),) = draw.choices(enabled, likely)
        for stream, label in asked.observed.projection(action, state, after):
            seen.append(Observation(stream, time, time, without_open(label)))
        state = after
    return seen, state


def seen_until_rest(asked: ObservedModel, draw: random.Random) -> list[Observation]:
    """What a random walk shows that goes on by the cluster's own steps to rest."""
    seen, state = walk(asked, draw)
    rest = Rest(asked.state_table(), asked.observed.own)
    number = rest.table.numbered(state)
    while steps := rest.to_come(number):
        time, number = 1 + max((one.begin for one in seen), default=0), steps[-1].after
        for stream, label in (event for step in steps for event in step.events):
            seen.append(Observation(stream, time, time, without_open(label)))
    return seen


def without_open(value: Any) -> Any:
    """A label without the values that the model leaves open."""
    if isinstance(value, dict):
        return {key: without_open(v) for key, v in value.items() if v is not ...}
    return [*map(without_open, value)] if isinstance(value, list) else value


def found(
    shown: Shown, streams: Streams, changed: Sequence[Change], most: int = ENOUGH
) -> ChangesFound:
    """What becomes of changes."""
    return ChangeSearch(shown, streams, changed).found(range(len(changed)), most, most)


def knowing_nothing(asked: ObservedModel) -> Shown:
    """The model with all runs, of which nothing is left out."""
    observed = asked.observed
    shown = Shown(asked.model, observed.projection, nothing_owed, HiddenSteps())
    return attrs.evolve(shown, rest=Rest(asked.state_table(), asked.own))


@pytest.mark.parametrize(
    ("seed", "ends_at_rest"),
    [(3, False), (4, False), (5, False), (8, False), (3, True), (5, True), (8, True)],
)
def test_random_runs_are_explained_as_by_a_search_that_knows_nothing(
    seed: int, ends_at_rest: bool
) -> None:
    """The same changes are explained; by simpler runs these and maybe more."""
    draw = random.Random(seed)
    asked = small_cluster(draw)
    if ends_at_rest:
        asked = attrs.evolve(asked, own=asked.observed.own)
    seen = seen_on_a_walk(asked, draw)
    several = draw.sample([*changes(tuple(seen))], k=min(30, len(seen)))
    streams = Streams.of(seen, draw.choice((None, 0, 2, 5)))
    plain = found(knowing_nothing(asked), streams, several)
    assert plain.is_whole, "another seed gives a smaller search"
    fewer = found(with_fewer_runs(asked), streams, several)
    assert fewer.ended == plain.ended
    assert fewer.is_explained is plain.is_explained
    assert fewer.states <= plain.states
    assert found(with_simpler_runs(asked), streams, several).ended >= plain.ended


@pytest.mark.parametrize("name", ["kafka-2.5.1-bounce", "controller_crash"])
def test_changes_of_a_file_are_explained_as_by_all_its_runs(name: str) -> None:
    """With expired sessions, watches and answers, in fewer states."""
    asked = ObservedModel.of(
        CATALOGUE, load(OBSERVATIONS / "runs" / f"{name}.jsonl"), name
    )
    seen = tuple(one for of in asked.streams.observations for one in of)
    several = [
        change
        for change in changes(seen)
        if not any(
            True for o in change.changed for _ in label_errors(o.stream, o.label)
        )
    ]
    of = asked.observed
    shown = Shown(asked.model, of.projection, of.owed, of.hidden)
    rest = Rest(asked.state_table(), asked.own)
    plain = found(attrs.evolve(shown, rest=rest), asked.streams, several)
    fewer = found(with_fewer_runs(asked), asked.streams, several)
    assert plain.is_whole
    assert fewer.is_whole
    assert fewer.ended == plain.ended
    assert fewer.ended
    assert fewer.states < plain.states


@pytest.mark.parametrize("seed", [14, 16, 17, 20, 22, 30, 31, 32, 33, 40])
def test_a_run_at_rest_is_at_rest_without_watermarks(seed: int) -> None:
    """What a run of the model shows until rest a simpler one shows until rest."""
    draw = random.Random(seed)
    asked = small_cluster(draw)
    assert asked.unobserved
    seen = seen_until_rest(asked, draw)
    asked = attrs.evolve(asked, own=asked.observed.own)
    for shown in (with_fewer_runs(asked), with_simpler_runs(asked)):
        assert found(shown, Streams.of(seen, 0), ()).is_explained


def test_rest_is_known_where_watermarks_are_forgotten() -> None:
    """A record that a follower has not fetched yet is still to come there, too."""
    path = OBSERVATIONS / "runs" / "leaders_directory.jsonl"
    asked = ObservedModel.of(CATALOGUE, load(path), "test")
    assert can_forget_watermarks(asked)
    seen = tuple(one for of in asked.streams.observations for one in of)
    drops = [change for change in changes(seen) if change.kind == DROP]
    simpler = with_simpler_runs(asked)
    without = found(attrs.evolve(simpler, rest=None), asked.streams, drops)
    at_rest = found(simpler, asked.streams, drops)
    assert found(with_fewer_runs(asked), asked.streams, drops).ended <= at_rest.ended
    last = next(n for n, one in enumerate(drops) if one.place.startswith(LAST_APPEND))
    assert last in without.ended - at_rest.ended


def test_watermarks_are_forgotten_only_where_nothing_asks_for_them() -> None:
    """A file that shows them, or what producers are told, has them searched."""
    draw = random.Random(1)
    asked = attrs.evolve(small_cluster(draw), unobserved=NO_WATERMARKS)
    assert can_forget_watermarks(asked)
    assert not can_forget_watermarks(attrs.evolve(asked, unobserved=frozenset()))
    waiting = attrs.evolve(asked, bounds={**asked.bounds, "acknowledgements": 1})
    assert not can_forget_watermarks(waiting)


@pytest.mark.parametrize("make", [with_fewer_runs, with_simpler_runs])
def test_a_protocol_with_its_own_way_is_refused(make: Any) -> None:
    """No argument is made for a mutant that makes or delivers something otherwise."""
    asked = small_cluster(random.Random(1))
    mutant = next(
        protocol
        for protocol in SYSTEM.mutations
        if "deliver_watch" not in {action.__name__ for action in protocol.actions}
    )
    asked = attrs.evolve(asked, protocol=mutant.name)
    with pytest.raises(ValueError, match=r"in its own way|its own way to"):
        make(asked)
