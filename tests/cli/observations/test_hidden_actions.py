"""What is known of hidden steps makes a search shorter, and changes no answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from checkout import OBSERVATIONS
from corruption import changes
from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.needless_steps import NeedlessSteps
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.cluster.observed import hidden_actions
from replicheck.invariants.cluster.observed.observed_bounds import bounds_for
from shipped import CATALOGUE

RUNS = OBSERVATIONS / "runs"
FIRST = 18
EVERY = 17


def changed_files(name: str) -> list[ObservationFile]:
    """The first observations of a run, as they are, and with one change each."""
    file = load(RUNS / f"{name}.jsonl")
    first = file.observations[:FIRST]
    changed = [seen for _, _, seen in changes(first)][::EVERY]
    return [evolve(file, observations=seen) for seen in (first, *changed)]


def answers(files: Sequence[ObservationFile]) -> list[Explanation | None]:
    """What validation comes to; None for a file that is refused unread."""
    found: list[Explanation | None] = []
    for file in files:
        try:
            found.append(validate(CATALOGUE, file, "changed", Effort()).explanation)
        except ScenarioError:
            found.append(None)
    return found


@pytest.mark.parametrize("name", ["leaders_directory", "controllers_session_expires"])
def test_answers_are_those_of_a_search_that_knows_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late steps, steps at once and needless ones leave out no explanation."""
    files = changed_files(name)
    known = answers(files)
    monkeypatch.setattr(hidden_actions, "LATE", ())
    monkeypatch.setattr(hidden_actions, "AT_ONCE", ())
    monkeypatch.setattr(NeedlessSteps, "has", _is_none_needless)
    plain = answers(files)
    assert [f and f.ending for f in known] == [f and f.ending for f in plain]
    endings = {found.ending for found in known if found}
    assert endings == {ExplanationEnding.EXPLAINED, ExplanationEnding.NOT_EXPLAINED}
    nodes = [sum(f.nodes for f in found if f) for found in (known, plain)]
    assert nodes[0] < nodes[1]


def _is_none_needless(*arguments: object) -> bool:
    return False


def test_copies_are_needless_only_where_requests_are_observed() -> None:
    """Nothing tells whether a request that is not shown was handled later, too."""
    system = CATALOGUE.systems["cluster"]
    assert ObservedSystem.of(system, system.protocols[0], {}, ()).hidden.copies
    assert not ObservedSystem.of(
        system, system.protocols[0], {}, ("requests",)
    ).hidden.copies


def expiry(broker: int) -> tuple[str, dict[str, object]]:
    """ZooKeeper ends the session of a broker."""
    write = {"znode": "broker", "broker": broker, "present": False}
    return "zookeeper", {"writes": [{**write, "session": "expired"}]}


def test_a_session_that_ends_with_its_process_is_no_fault_of_its_own() -> None:
    """A crash that was reported before accounts for one session of the broker."""
    crash = ("operator", {"event": "crash", "broker": 1})
    assert bounds_for([crash, expiry(1)])["session_expiries"] == 0
    assert bounds_for([crash, expiry(0)])["session_expiries"] == 1
    assert bounds_for([expiry(1), crash])["session_expiries"] == 1


def test_a_shrink_is_a_smaller_isr_in_the_same_leader_epoch() -> None:
    """What the controller writes has a new leader epoch, and is no leader's shrink."""
    state = {"znode": "partition_state", "partition": 0, "version": 0}
    isrs = [(0, [0, 1, 2]), (0, [0, 1]), (1, [1]), (1, [1, 0])]
    writes = [{**state, "leader_epoch": e, "isr": isr} for e, isr in isrs]
    events = [("zookeeper", {"writes": [write]}) for write in writes]
    assert bounds_for(events)["isr_shrinks"] == 1
