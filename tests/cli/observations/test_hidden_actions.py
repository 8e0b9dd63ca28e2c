"""What is known of hidden steps makes a search shorter, and changes no answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from changed_observations import changes
from checkout import OBSERVATIONS
from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.needless_steps import NeedlessSteps
from replicheck.explorer.engines.trace_validation.state_table import nothing_queued
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.cluster.observed import hidden_actions
from replicheck.invariants.cluster.observed.observed_bounds import bounds_for
from replicheck.invariants.cluster.observed.observed_queues import may_clear
from shipped import CATALOGUE

RUNS = OBSERVATIONS / "runs"
FIRST = 18
EVERY = 17


def changed_files(name: str) -> list[ObservationFile]:
    """The first observations of a run, as they are, and with one change each."""
    file = load(RUNS / f"{name}.jsonl")
    file = evolve(file, header=evolve(file.header, ends=None))
    first = file.observations[:FIRST]
    changed = [change.applied_to(first) for change in changes(first)][::EVERY]
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
    """Late steps, steps at once, needless ones and queues leave out no explanation."""
    files = changed_files(name)
    known = answers(files)
    monkeypatch.setattr(hidden_actions, "LATE", ())
    monkeypatch.setattr(hidden_actions, "AT_ONCE", ())
    monkeypatch.setattr(NeedlessSteps, "has", _is_none_needless)
    monkeypatch.setattr(NeedlessSteps, "lead_all_from", _is_none_needless)
    plain = answers(files)
    assert [f and f.ending for f in known] == [f and f.ending for f in plain]
    endings = {found.ending for found in known if found}
    assert endings == {ExplanationEnding.EXPLAINED, ExplanationEnding.NOT_EXPLAINED}
    nodes = [sum(f.nodes for f in found if f) for found in (known, plain)]
    assert nodes[0] < nodes[1]


def _is_none_needless(*arguments: object) -> bool:
    return False


@pytest.mark.parametrize("name", ["cluster", "composed"])
def test_queues_are_known_of_a_protocol_that_takes_from_them_as_kafka_does(
    name: str,
) -> None:
    """A mutant that lets requests overtake each other has no such queues."""
    system = CATALOGUE.systems[name]
    right = ObservedSystem.of(system, system.protocols[0], {}, ())
    assert right.queued is not nothing_queued


def test_queues_are_not_known_of_a_mutant_that_takes_from_them_otherwise() -> None:
    """What it handles need not be the first request."""
    system = CATALOGUE.systems["cluster"]
    mutant = system.protocols_by_name["n-1-overtake-in-line"]
    assert ObservedSystem.of(system, mutant, {}, ()).queued is nothing_queued


def write(**fields: object) -> dict[str, object]:
    """Label of a transaction that writes one znode."""
    return {"writes": [fields]}


def test_what_may_clear_a_queue() -> None:
    """An election of its controller, and what tells that its broker is another one."""
    elected = write(znode="controller", broker=2, controller_epoch=5)
    assert may_clear("requests 2>0", "zookeeper", elected)
    assert may_clear("controller 2", "zookeeper", elected)
    assert not may_clear("requests 1>0", "zookeeper", elected)
    came = write(znode="broker", broker=0, present=True)
    assert may_clear("responses 2<0", "zookeeper", came)
    assert not may_clear("responses 2<1", "zookeeper", came)
    went = {"event": "broker_failure", "brokers": [0]}
    assert may_clear("requests 2>0", "controller 2", went)
    assert not may_clear("requests 2>1", "controller 2", went)
    assert not may_clear("requests 2>0", "controller 1", went)
    unseen = {"event": "broker_change", "new": [], "deleted": []}
    assert may_clear("requests 2>0", "controller 2", unseen)


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
