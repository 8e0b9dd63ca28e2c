"""Does what a test of Kafka does, step by step, with the model of the fetchers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from attrs import evolve

from kafka_tests.vectors import Step, Vector, log_of, text_of
from replicheck.model.fetching import metrics
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.broker import epoch_requests, fetch_requests
from replicheck.model.fetching.cells.calls import EpochAnswer, Error, FetchAnswer
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.cells.log import EpochEnd
from replicheck.model.fetching.faults import lose_answer
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
    die,
    end_thread,
    mark_partition_failed,
    remove_fetcher_for_partitions,
    remove_partitions,
)
from replicheck.model.fetching.initial_states import without_leader
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.protocol import Action
from replicheck.model.shared.replica import Hosting, Replica
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Epoch,
    Offset,
    PartitionId,
)
from shipped import SYSTEMS

LEADER, FOLLOWER, OTHER = BrokerId(0), BrokerId(1), BrokerId(2)
THREAD = ThreadId(FOLLOWER, LEADER, FetcherId(0))
LOOP: Mapping[ThreadPhase, tuple[Action, ...]] = {
    ThreadPhase.MAYBE_TRUNCATE: (
        truncating.fetch_truncating_partitions,
        fetching.maybe_fetch,
    ),
    ThreadPhase.EPOCHS_ASKED: (epoch_requests.handle_offset_for_leader_epoch_request,),
    ThreadPhase.EPOCHS_ANSWERED: (truncating.truncate_to_epoch_end_offsets,),
    ThreadPhase.TO_HIGH_WATERMARK: (truncating.truncate_to_high_watermark,),
    ThreadPhase.MAYBE_FETCH: (fetching.maybe_fetch,),
    ThreadPhase.FETCH_ASKED: (fetch_requests.handle_fetch_request,),
    ThreadPhase.FETCH_ANSWERED: (fetching.process_fetch_request,),
}
"""What can come next in ``doWork``, the leader's answers included."""


class Bench:
    """A follower with one thread, and a leader that a test sets as it likes.

    A third broker is in sync and never fetches, so that the leader's high watermark
    stays where a test sets it.
    """

    def __init__(self, vector: Vector) -> None:
        self.names = vector.partitions
        bounds = FetchingBounds(
            brokers=3, partitions=len(self.names), fetchers=vector.fetchers
        )
        protocol = SYSTEMS["fetching"].protocols_by_name[vector.protocol]
        start = without_leader(bounds)
        self.cluster = evolve(start, replacements=protocol.replacements)
        self.answers = dict(vector.answers)
        self.cuts: dict[str, list[int]] = {name: [] for name in self.names}
        self.epoch_fetch_count = self.fetch_count = 0
        for name in self.names:
            self.set_replica_state(name, vector.replica.get(name, {}))
        for name, table in vector.leader.items():
            self.set_leader_state(name, table)

    def run(self, step: Step) -> None:
        """Take one step of the test."""
        for _ in range(step.times):
            self._run_once(step)

    def _run_once(self, step: Step) -> None:
        match step.do:
            case "doWork":
                self.do_work(ThreadPhase(step.until) if step.until else None)
            case "loseAnswer":
                (self.cluster,) = lose_answer(self.cluster, THREAD)
            case "shutdown":
                self.cluster = end_thread(self.cluster, THREAD)
            case "die":
                self.cluster = die(self.cluster, THREAD)
            case "nothing":
                pass
            case _:
                for name, table in step.partitions.items():
                    self._change(step.do, name, table)

    def _change(self, do: str, name: str, table: Any) -> None:
        cluster, partition = self.cluster, self._id(name)
        match do:
            case "setLeaderState":
                self.set_leader_state(name, table)
            case "setReplicaState":
                self.set_replica_state(name, table)
            case "setOffsetsForNextResponse":
                self.answers[name] = table
            case "addPartitions" | "addFetcherForPartitions":
                epoch, offset = Epoch(table["epoch"]), Offset(table["offset"])
                self.cluster = add_fetcher_for_partitions(
                    cluster, FOLLOWER, partition, LEADER, epoch, offset
                )
            case "removePartitions":
                self.cluster = remove_partitions(cluster, THREAD, partition)
            case "removeFetcherForPartitions":
                self.cluster = remove_fetcher_for_partitions(
                    cluster, FOLLOWER, partition
                )
            case "fail":
                self.cluster = mark_partition_failed(cluster, THREAD, partition)
            case "corrupt":
                corrupt = cluster.call(THREAD, partition).corrupt()
                self.cluster = cluster.evolve(calls={THREAD.at(partition): corrupt})
            case "failNextWrite":
                broken = cluster.logs[FOLLOWER][partition].break_once()
                self.cluster = cluster.evolve(logs={(FOLLOWER, partition): broken})
            case _:
                raise ValueError(f"a vector says to do {do!r}, which is unknown")

    def set_leader_state(self, name: str, table: Mapping[str, Any]) -> None:
        """Let the leader be in an epoch, with a log and a high watermark."""
        partition = self._id(name)
        leading = Replica(
            hosting=Hosting.ONLINE,
            directory=DirectoryId(0),
            leader=LEADER,
            epoch=Epoch(table["epoch"]),
            isr=frozenset({LEADER, FOLLOWER, OTHER}),
            high_watermark=Offset(table.get("highWatermark", 0)),
        )
        log = log_of(table.get("log", ""), table.get("cache"))
        self.cluster = self.cluster.evolve(
            replicas={(LEADER, partition): leading}, logs={(LEADER, partition): log}
        )

    def set_replica_state(self, name: str, table: Mapping[str, Any]) -> None:
        """Let the follower have a log and a high watermark."""
        partition = self._id(name)
        following = Replica(
            hosting=Hosting.ONLINE,
            directory=DirectoryId(0),
            leader=LEADER,
            high_watermark=Offset(table.get("highWatermark", 0)),
        )
        log = log_of(table.get("log", ""), table.get("cache"))
        self.cluster = self.cluster.evolve(
            replicas={(FOLLOWER, partition): following},
            logs={(FOLLOWER, partition): log},
        )

    def do_work(self, until: ThreadPhase | None) -> None:
        """Go once through the loop, or up to a place in it; delays are over at once.

        A fetch that the leader keeps, since there is no news, is where a loop ends too.
        """
        if self.phase is ThreadPhase.MAYBE_TRUNCATE:
            self._expire_delays()
        while self.phase is not until:
            after = self._next()
            if after is None:
                break
            self._count(self.cluster, after)
            self.cluster = after
            if self.phase in (ThreadPhase.MAYBE_TRUNCATE, ThreadPhase.DEAD):
                break
        assert until in (None, self.phase), f"{until} is not reached in one doWork"

    @property
    def phase(self) -> ThreadPhase:
        """Phase of the thread in its loop."""
        return self.cluster.thread(THREAD).phase

    def _next(self) -> Brokers | None:
        if self.answers and self.phase in (
            ThreadPhase.EPOCHS_ASKED,
            ThreadPhase.FETCH_ASKED,
        ):
            return self._answered_by_mock()
        states: Iterator[Brokers] = chain.from_iterable(
            action(self.cluster, FOLLOWER, LEADER, FetcherId(0))
            for action in LOOP.get(self.phase, ())
        )
        return next(states, None)

    def _answered_by_mock(self) -> Brokers:
        cluster = self.cluster
        for name in self.names:
            partition = self._id(name)
            call = cluster.call(THREAD, partition)
            if call.asks_epoch():
                call = call.reply(epoch_answer(self.answers[name]))
            elif call.asks_records():
                call = call.reply(FetchAnswer(Error.NONE))
            cluster = cluster.evolve(calls={THREAD.at(partition): call})
        asked_epochs = self.phase is ThreadPhase.EPOCHS_ASKED
        answered = (
            ThreadPhase.EPOCHS_ANSWERED if asked_epochs else ThreadPhase.FETCH_ANSWERED
        )
        return cluster.evolve(threads={THREAD.index: FetcherThread(answered)})

    def _expire_delays(self) -> None:
        for partition in self.cluster.bounds.partition_ids:
            state = self.cluster.fetch_state(THREAD, partition).expire()
            self.cluster = self.cluster.evolve(
                fetch_states={THREAD.at(partition): state}
            )

    def _count(self, before: Brokers, after: Brokers) -> None:
        phase = after.thread(THREAD).phase
        self.epoch_fetch_count += phase is ThreadPhase.EPOCHS_ASKED
        self.fetch_count += phase is ThreadPhase.FETCH_ASKED
        if self.phase not in (
            ThreadPhase.EPOCHS_ANSWERED,
            ThreadPhase.TO_HIGH_WATERMARK,
        ):
            return
        for name in self.names:
            was = before.fetch_state(THREAD, self._id(name))
            now = after.fetch_state(THREAD, self._id(name))
            if now.is_tracked() and (was.state, was.offset) != (now.state, now.offset):
                self.cuts[name].append(now.offset)

    def _id(self, name: str) -> PartitionId:
        return PartitionId(self.names.index(name))

    def counts(self) -> dict[str, int]:
        """Number of times that the leader was asked, and the metrics of the manager."""
        threads = self.cluster.threads_of(FOLLOWER)
        return {
            "epochFetchCount": self.epoch_fetch_count,
            "fetchCount": self.fetch_count,
            "threads": sum(self.cluster.thread(thread).exists() for thread in threads),
            "deadThreadCount": metrics.dead_thread_count(self.cluster, FOLLOWER),
            "FailedPartitionsCount": metrics.failed_partitions_count(
                self.cluster, FOLLOWER
            ),
        }

    def seen(self, name: str) -> dict[str, Any]:
        """All that a vector can expect of a partition."""
        cluster, partition = self.cluster, self._id(name)
        state = cluster.fetch_state(THREAD, partition)
        replica = cluster.replicas[FOLLOWER][partition]
        log = cluster.logs[FOLLOWER][partition]
        lag = metrics.consumer_lag(cluster, FOLLOWER, partition)
        answer = cluster.call(THREAD, partition).answer
        return {
            "state": state.state.value if state.state else "none",
            "fetchOffset": state.offset,
            "currentLeaderEpoch": state.epoch,
            "isTruncating": state.is_truncating(),
            "isReadyForFetch": state.is_ready_for_fetch(),
            "isDelayed": state.is_delayed,
            "failed": cluster.failed[FOLLOWER].has(partition),
            "log": text_of(log),
            "logStartOffset": log.start_offset,
            "logEndOffset": log.end_offset,
            "highWatermark": replica.high_watermark,
            "lag": "none" if lag is None else lag,
            "answer": {"error": answer.error.value} if answer else {},
            "cuts": list(self.cuts[name]),
            "agrees": log.records == cluster.logs[LEADER][partition].records
            and replica.high_watermark
            == cluster.replicas[LEADER][partition].high_watermark,
        }


def epoch_answer(table: Mapping[str, Any]) -> EpochAnswer:
    """The answer that a vector gives to the question where an epoch ends."""
    if "error" in table:
        return EpochAnswer(Error(table["error"]))
    return EpochAnswer(Error.NONE, EpochEnd(table.get("epoch"), table.get("endOffset")))
