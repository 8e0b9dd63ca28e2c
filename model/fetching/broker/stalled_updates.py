"""A request handler that is held up between reading a log and recording the reader.

Kafka gives up the lock of the partition in between, and compares no epoch afterwards
(L-FU-2). One request has many partitions, and each update may wait for ZooKeeper.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.fetch_requests import read_records, shows_progress
from replicheck.model.fetching.broker.leader import update_follower_fetch_state
from replicheck.model.fetching.cells.calls import FetchAsked
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.cells.requests import NO_UPDATE, StalledUpdate
from replicheck.model.fetching.faults import lose_answer
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def stall_after_read(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> Iterator[Brokers]:
    """A handler has read for a follower, and is held up; the follower waits no longer.

    Abstraction: one handler of a broker, which has one position left to record.

    Rules: L-FU-2, F-FETCH-2.
    Source: ReplicaManager.fetchMessages, ReplicaManager.updateFollowerFetchState.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.faults.allow("stalled_handlers") or thread.moves_logs():
        return
    if not cluster.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return
    if not cluster.call(thread, partition).asks_records():
        return
    if not cluster.processes[leader].is_running:
        return
    if not cluster.stalled[leader].is_none():
        return
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, FetchAsked), "records are asked for"
    answer = read_records(cluster, thread, partition, asked)
    if not shows_progress(cluster, answer):
        return
    update = StalledUpdate(follower, partition, asked.offset, asked.current_epoch)
    for after in lose_answer(cluster, thread):
        yield after.evolve(
            stalled={leader: update}, faults=after.faults.spend("stalled_handlers")
        )


def record_late(cluster: Brokers, leader: BrokerId) -> Iterator[Brokers]:
    """The handler goes on, and records the position in its present epoch.

    Who does not lead any more forgets it when it comes to lead again.

    Rules: L-FU-2.  Source: Partition.updateFollowerFetchState.
    """
    if cluster.stalled[leader].is_none():
        return
    follower = cluster.stalled[leader].follower
    partition = cluster.stalled[leader].partition
    offset = cluster.stalled[leader].offset
    assert follower is not None, "there is an update"
    assert partition is not None, "there is an update"
    assert offset is not None, "there is an update"
    is_due = is_to_be_recorded(cluster, leader, partition)
    cluster = cluster.evolve(stalled={leader: NO_UPDATE})
    if is_due:
        cluster = update_follower_fetch_state(
            cluster, leader, partition, follower, offset
        )
    yield cluster


@rule
def is_to_be_recorded(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a late position counts: the broker leads, in any epoch.

    Rules: L-FU-2.  Source: Partition.updateFollowerFetchState.
    """
    return cluster.presumes_leadership(leader, partition)
