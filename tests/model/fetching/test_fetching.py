"""The fetching brokers: all interleavings of each scenario, both engines, purity."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from attrs import evolve

from agreement import known_states
from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.instances import instances
from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.explorer.report import Report, Verdict
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of, state_after
from replicheck.invariants.fetching import safety, steps, witnesses
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.initial_states import with_leader, without_leader
from replicheck.model.fetching.metrics import (
    consumer_lag,
    dead_thread_count,
    failed_partitions_count,
)
from replicheck.model.fetching.protocols import KAFKA_2_5, fetching_model
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.protocol import ProtocolModel
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import decode, encode
from shipped import CATALOGUE
from slow import by_states

FOLLOWER = BrokerId(1)
THREAD = ThreadId(FOLLOWER, BrokerId(0), FetcherId(0))
MOVER = ThreadId(FOLLOWER, FOLLOWER, FetcherId(0))
PROPERTIES: dict[str, Property] = {
    claim.name: claim
    for claim in (
        *(always(predicate) for predicate in safety.SAFETY),
        *(every_step(predicate) for predicate in steps.STEPS),
        *(sometimes(predicate) for predicate in witnesses.WITNESSES),
    )
}


def scenarios() -> list[str]:
    """Return the names of all scenarios of the fetching brokers."""
    return [
        n for n, scenario in CATALOGUE.scenarios.items() if scenario.model == "fetching"
    ]


def end_of(name: str) -> Brokers:
    """Return the state at the end of a scenario's sequence."""
    scenario = CATALOGUE.scenarios[name]
    system = CATALOGUE.systems["fetching"]
    found: Brokers = state_after(scenario, system, scenario.sequence, Place(name))
    return found


def test_roles_change_and_what_only_the_old_leader_had_is_cut() -> None:
    """Both logs have the one record that was copied, and both know of the election."""
    cluster = end_of("fetching-two-brokers")
    (old,), (new,) = cluster.logs
    assert old.records == new.records
    assert [record.id for record in old.records if record] == [0]
    assert [entry.epoch for entry in new.epochs] == [0, 1]


def test_one_of_two_partitions_fails_and_the_other_is_committed() -> None:
    """The thread has only the other one, and the metric counts one."""
    cluster = end_of("fetching-failed-one")
    assert failed_partitions_count(cluster, FOLLOWER) == 1
    assert tracked(cluster) == [1]
    assert consumer_lag(cluster, FOLLOWER, PartitionId(0)) is None
    assert consumer_lag(cluster, FOLLOWER, PartitionId(1)) == 0
    assert cluster.committed[0].records == ()
    assert len(cluster.committed[1].records) == 1


def test_a_thread_whose_partitions_all_failed_lives_on() -> None:
    """It is not dead, has nothing to do, and is not shut down (F-THREAD-3)."""
    cluster = end_of("fetching-failed-all")
    assert failed_partitions_count(cluster, FOLLOWER) == 2
    assert tracked(cluster) == []
    assert cluster.thread(THREAD).is_at(ThreadPhase.MAYBE_TRUNCATE)
    assert dead_thread_count(cluster, FOLLOWER) == 0


def test_an_unknown_leader_leaves_a_failure() -> None:
    """The broker is told of the next epoch, and has not taken it up (F-FAIL-4)."""
    cluster = end_of("fetching-unknown-leader")
    assert failed_partitions_count(cluster, FOLLOWER) == 1
    assert cluster.inboxes[FOLLOWER][0].is_empty()
    assert cluster.replicas[FOLLOWER][0].epoch == 0
    assert cluster.partition_nodes[0].has_epoch(Epoch(1))


def test_stop_replica_clears_a_failure() -> None:
    """The replica stays, and nobody fetches it."""
    cluster = end_of("fetching-failed-stop")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert tracked(cluster) == [1]
    assert cluster.replicas[FOLLOWER][0].is_online()


def test_the_next_leader_epoch_clears_a_failure() -> None:
    """The partition is fetched again, here from the same leader."""
    cluster = end_of("fetching-failed-next-epoch")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert len(cluster.committed[0].records) == 1


def test_a_failed_directory_clears_a_failure() -> None:
    """The partition is marked offline instead; the one beside it goes on."""
    cluster = end_of("fetching-failed-directory")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert cluster.replicas[FOLLOWER][0].is_offline()
    assert tracked(cluster) == [1]
    assert len(cluster.committed[1].records) == 1


def test_partitions_are_served_in_turn() -> None:
    """The second answer brings a record of the partition that got none before."""
    cluster = end_of("fetching-rotation")
    assert [cluster.logs[FOLLOWER][partition].end_offset for partition in (0, 1)] == [
        1,
        1,
    ]
    assert cluster.order(THREAD).partitions == (0, 1)


def test_a_log_is_moved_and_grows_where_it_is_now() -> None:
    """The copy became the log, and the thread that moved it is gone."""
    cluster = end_of("fetching-move")
    assert cluster.locations[FOLLOWER] == (1,)
    assert not cluster.future_logs[FOLLOWER][0].exists()
    assert len(cluster.logs[FOLLOWER][0].records) == 2
    assert not cluster.thread(MOVER).exists()


def test_a_fenced_move_goes_on_in_the_new_epoch() -> None:
    """It failed in between, and is over now; the broker leads with the copy."""
    scenario = CATALOGUE.scenarios["fetching-move-leader-change"]
    fenced = scenario.sequence[: scenario.sequence.index("move_on(broker=1)")]
    system, place = CATALOGUE.systems["fetching"], Place(scenario.name)
    cluster = state_after(scenario, system, fenced, place)
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 1
    )
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    cluster = end_of(scenario.name)
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 0
    )
    assert cluster.presumes_leadership(FOLLOWER, PartitionId(0))
    assert cluster.locations[FOLLOWER] == (1,)


def test_a_move_into_a_failed_directory_is_given_up() -> None:
    """The log is fetched where it was, and nothing is failed."""
    cluster = end_of("fetching-move-directory")
    assert cluster.locations[FOLLOWER] == (0,)
    assert not cluster.future_logs[FOLLOWER][0].exists()
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 0
    )
    assert len(cluster.logs[FOLLOWER][0].records) == 1


def test_a_log_that_is_moved_goes_before_one_that_is_to_be() -> None:
    """Partition 1 was begun, and is moved, while partition 0 waits."""
    cluster = end_of("fetching-move-in-turn")
    assert cluster.locations == ((0, 0),)
    assert cluster.future_logs[0][0].exists()
    assert cluster.future_logs[0][0].log.is_empty()


@pytest.mark.parametrize(
    "name",
    [
        "fetching-move-beyond-the-end",
        "fetching-move-forgets-an-epoch",
        "fetching-move-late-answer",
    ],
)
def test_what_is_wrong_with_moves_is_repaired(name: str) -> None:
    """Every run from the same start is right."""
    scenario = evolve(CATALOGUE.scenarios[name], protocol="repaired")
    assert check(scenario).verdict is Verdict.HOLDS


def tracked(cluster: Brokers) -> list[int]:
    """Return the partitions that the follower's thread has."""
    partitions = cluster.bounds.partition_ids
    return [p for p in partitions if cluster.fetch_state(THREAD, p).is_tracked()]


@pytest.mark.parametrize(
    "name", by_states(scenarios(), partial(known_states, CATALOGUE))
)
def test_all_interleavings(name: str) -> None:
    """Verdict, counts and witnesses are those that the scenario expects."""
    scenario = CATALOGUE.scenarios[name]
    expect = scenario.expect
    assert expect is not None
    report = check(scenario)
    assert report.verdict is Verdict[expect.verdict.upper()]
    violations = {
        violation.property: len(violation.trace.states)
        for violation in report.violations
    }
    assert violations == expect.violations
    if expect.verdict == "holds":
        assert (report.states, report.depth) == (expect.states, expect.depth)
        assert set(scenario.witnesses) == set(report.reached)
        dead = {n for n, count in report.actions.items() if not count.generated}
        assert dead == set(scenario.dead_actions)


def check(scenario: Scenario) -> Report[Any]:
    """The fast engine's report on a scenario."""
    model = model_of(scenario, CATALOGUE.systems["fetching"], Place(scenario.name))
    chosen = [PROPERTIES[claim] for claim in scenario.properties]
    stop = {"decided": Stop.DECIDED}.get(scenario.stop, Stop.FIRST_VIOLATION)
    return BreadthFirst(threads=1).explore(model, chosen, Search(stop=stop))


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
    report = engine.explore(
        small(name), list(PROPERTIES.values()), Search(stop=Stop.DECIDED)
    )
    assert report.verdict is Verdict.HOLDS
    assert (report.states, report.generated, report.depth) == COUNTS[name]


def small(name: str) -> ProtocolModel:
    """Return a small instance of the fetching brokers."""
    return fetching_model(KAFKA_2_5, SMALL[name].bounds, SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_actions_are_pure(name: str) -> None:
    """An action gives the same steps again, also for an equal state made otherwise."""
    model = small(name)
    (state,) = model.initial_states()
    seen, todo = {state}, [state]
    actions = instances(model.actions, model.domains)
    while todo and len(seen) < 300:
        before = todo.pop(0)
        copy = decode(encode(before), value_classes(Brokers))
        for action in actions:
            after = list(action(before))
            assert list(action(copy)) == after
            new = [successor for successor in after if successor not in seen]
            seen |= set(new)
            todo += new


def test_every_action_names_its_rules_and_its_source() -> None:
    """A Kafka engineer finds each function by rule id and by Kafka's method."""
    for action in KAFKA_2_5.actions:
        text = action.__doc__ or ""
        assert "Rules: " in text, action.__name__
        assert "Source: " in text, action.__name__


def test_every_property_is_sentence_and_status() -> None:
    """Sentences begin with a capital; invariants say whether they hold."""
    for predicate in (*safety.SAFETY, *steps.STEPS):
        text = predicate.__doc__ or ""
        assert text[0].isupper(), predicate.__name__
        assert "hold" in text or "violated" in text, predicate.__name__


def test_a_fault_without_budget_is_no_action() -> None:
    """It does not cost a look, and need not be declared dead."""
    names = {
        action.__name__ for action in fetching_model(bounds=FetchingBounds()).actions
    }
    assert not names & {"crash", "fail_directory", "restart", "stop_replica"}
    assert "crash" in {
        action.__name__
        for action in fetching_model(bounds=FetchingBounds(crashes=1)).actions
    }
