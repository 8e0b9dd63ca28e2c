"""How a broker answers where an epoch ends."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.fetch_requests import get_local_log
from replicheck.model.fetching.cells.calls import EpochAnswer, EpochAsked, Error
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def handle_offset_for_leader_epoch_request(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The source says of each partition where the follower's latest epoch ends.

    Rules: L-OFLE, L-VAL-1.  Source: ReplicaManager.lastOffsetForLeaderEpoch.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.EPOCHS_ASKED):
        return
    if not cluster.processes[leader].is_running:
        return
    for partition in cluster.bounds.partition_ids:
        if cluster.call(thread, partition).asks_epoch():
            asked = cluster.call(thread, partition).request
            assert isinstance(asked, EpochAsked)
            answer = last_offset_for_leader_epoch(cluster, thread, partition, asked)
            call = cluster.call(thread, partition).reply(answer)
            cluster = cluster.evolve(calls={thread.at(partition): call})
    answered = FetcherThread(ThreadPhase.EPOCHS_ANSWERED)
    yield cluster.evolve(threads={thread.index: answered})


@rule
def last_offset_for_leader_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> EpochAnswer:
    """Look an epoch up in the leader's cache.

    Rules: L-OFLE, F-ALT-2, E-5.  Source: Partition.lastOffsetForLeaderEpoch.
    """
    error = get_local_log(cluster, thread, partition, asked.current_epoch)
    if error is not Error.NONE:
        return EpochAnswer(error)
    found = cluster.logs[thread.leader][partition].end_offset_for(asked.epoch)
    return EpochAnswer(Error.NONE, found)
