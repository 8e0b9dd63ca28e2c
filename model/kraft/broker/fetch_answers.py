"""Answers to fetches that come late, when other metadata may have been published.

Source: AbstractFetcherThread.processFetchRequest.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker import replication
from replicheck.model.kraft.cells.fetcher import FetchAnswer
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId


def answer_late(cluster: KraftCluster, follower: BrokerId) -> Iterator[KraftCluster]:
    """A leader answers a fetch, and the follower learns of it later.

    Rules: KR-FET-1, KR-FET-3, KR-FET-4.  Source: Partition.fetchRecords.
    """
    if not cluster.faults.allow("late_answers"):
        return
    leader = cluster.partitions[follower].leader
    if leader is None or not replication.can_fetch(cluster, follower, leader):
        return
    fetcher = cluster.fetchers[follower]
    if not fetcher.is_idle():
        return
    epoch = cluster.partitions[follower].leader_epoch
    assert epoch is not None, "a follower has a leader epoch"
    log = cluster.logs[follower]
    end = replication.diverging_end(cluster, leader, follower)
    answer = FetchAnswer(
        leader=leader,
        epoch=epoch,
        offset=log.end_offset,
        diverging_end=end,
        record=replication.next_record(cluster, leader, follower)
        if end is None
        else None,
        high_watermark=cluster.partitions[leader].high_watermark,
    )
    after = cluster
    if end is None:
        after = replication.update_fetch_state(cluster, leader, follower)
    yield after.evolve(
        fetchers={follower: fetcher.wait(answer)},
        faults=cluster.faults.spend("late_answers"),
    )


def receive_answer(cluster: KraftCluster, follower: BrokerId) -> Iterator[KraftCluster]:
    """A follower makes of an answer what it can, if it still fetches so.

    Where the log is to be cut is noted, and the lock of the thread given up.

    Rules: KR-TRU-1, KR-TRU-2, KR-HW-4.
    Source: AbstractFetcherThread.processFetchRequest.
    """
    fetcher = cluster.fetchers[follower]
    answer = fetcher.answer
    if answer is None:
        return
    finished = cluster.evolve(fetchers={follower: fetcher.finish()})
    if not is_fetched_from(cluster, follower, answer.leader) or not is_current(
        cluster, follower, answer
    ):
        yield finished
    elif answer.diverging_end is not None:
        yield cluster.evolve(fetchers={follower: fetcher.collect_cut()})
    else:
        record = record_sent(cluster, follower, answer)
        yield replication.process_partition_data(
            finished, follower, record, answer.high_watermark
        )


@rule
def record_sent(
    cluster: KraftCluster, follower: BrokerId, answer: FetchAnswer
) -> Record | None:
    """The record of an answer: none is appended that is newer than the request.

    What takes its place in the leader's log before the bytes are sent is such a one.

    Rules: KR-TRU-3.  Source: UnifiedLog.append.
    """
    return answer.record


def cut_log(cluster: KraftCluster, follower: BrokerId) -> Iterator[KraftCluster]:
    """A follower cuts its log where an answer said, in a second critical section.

    The thread has the partition, or has it again, in another leader epoch.

    Rules: KR-TRU-2, KR-TRU-4.
    Source: AbstractFetcherThread.truncateOnFetchResponse.
    """
    fetcher = cluster.fetchers[follower]
    answer = fetcher.cut
    if answer is None:
        return
    finished = cluster.evolve(fetchers={follower: fetcher.finish()})
    if not is_fetched_from(cluster, follower, answer.leader):
        yield finished
        return
    assert answer.diverging_end is not None, "a cut has an offset"
    yield replication.truncate(finished, follower, answer.diverging_end)


@rule
def is_current(cluster: KraftCluster, follower: BrokerId, answer: FetchAnswer) -> bool:
    """Tell whether an answer is to a fetch at this offset, in this leader epoch.

    Rules: KR-TRU-1.  Source: AbstractFetcherThread.processFetchRequest.
    """
    if answer.offset != cluster.logs[follower].end_offset:
        return False
    return cluster.partitions[follower].is_in(answer.leader, answer.epoch)


def is_fetched_from(
    cluster: KraftCluster, follower: BrokerId, leader: BrokerId
) -> bool:
    """Tell whether the thread of a leader has the partition.

    Rules: KR-FOL-2.  Source: AbstractFetcherManager.addFetcherForPartitions.
    """
    if not cluster.processes[follower].has_published:
        return False
    return cluster.partitions[follower].is_led_by(leader)
