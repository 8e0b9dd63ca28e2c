"""How a broker becomes the leader or a follower of one partition.

Abstraction: the high watermark's checkpoint is never written, so a replica starts with
0 in each process (B-HW-3 is not modelled yet).
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.clients import refuse_waiting
from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.broker.log_creation import Creation, find_or_create_log
from replicheck.model.cluster.cells.channels import Answer, PartitionToLead
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


@rule
def is_newer(cluster: Cluster, broker: BrokerId, asked: PartitionToLead) -> bool:
    """Tell whether a leader epoch is above the replica's; an unknown replica has none.

    Rules: B-LIR-2, B-LIR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    replica = cluster.replicas[broker][asked.partition]
    return replica.is_behind(asked.content.epoch)


def obey_for_partition(
    cluster: Cluster,
    broker: BrokerId,
    asked: PartitionToLead,
    creation: Creation,
) -> Iterator[tuple[Cluster, Answer]]:
    """Become leader or follower of one partition.

    Rules: B-LIR-1, B-LIR-2, B-LIR-4, B-LIR-10, B-LDF-6.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    partition = asked.partition
    if cluster.replicas[broker][partition].is_offline():
        yield cluster, Answer.STORAGE_ERROR
    elif not is_newer(cluster, broker, asked):
        yield cluster, Answer.STALE
    elif asked.content.leader == broker:
        yield from become_leader(cluster, broker, asked, creation)
    else:
        yield become_follower(cluster, broker, asked, creation)


def become_leader(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead, creation: Creation
) -> Iterator[tuple[Cluster, Answer]]:
    """Take ISR and epoch from the request; what followers have is unknown.

    The epoch is also stored in the directory. If that is failing, this can go wrong,
    after which the broker has the new epoch and the old leader, and no marker.

    Rules: B-LIR-5, B-LIR-8, B-HW-1, B-DIR-2, B-DIR-3.  Source: Partition.makeLeader.
    """
    partition = asked.partition
    cluster = cluster.evolve(
        fetchers={(broker, partition): cluster.fetchers[broker][partition].stop()}
    )
    is_new = is_new_leader(cluster, broker, partition)
    cluster, directory = find_or_create_log(cluster, broker, asked, creation)
    if directory is None:
        yield mark_offline(cluster, broker, partition), Answer.STORAGE_ERROR
        return
    content = asked.content
    end = cluster.logs[broker][partition][directory].end_offset
    replica = cluster.replicas[broker][partition]
    if cluster.directories[broker][directory].is_failing():
        kept = replica.fail_to_lead(content, directory, end).leave_out(
            asked.unassigned_isr
        )
        yield cluster.evolve(replicas={(broker, partition): kept}), Answer.STORAGE_ERROR
    if is_new:
        remotes = {(broker, partition): cluster.remotes[broker][partition].forget()}
        cluster = cluster.evolve(remotes=remotes)
    known = cluster.remotes[broker][partition].begin_epoch()
    cluster = cluster.evolve(remotes={(broker, partition): known})
    leader = replica.lead(broker, content, directory, end).leave_out(
        asked.unassigned_isr
    )
    cluster = cluster.evolve(replicas={(broker, partition): leader})
    yield increment_high_watermark(cluster, broker, partition), Answer.NONE


@rule
def is_new_leader(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether what a broker knows of followers is to be forgotten.

    It is not if the broker led before; it may have missed that another led since.

    Rules: B-HW-1.  Source: Partition.makeLeader.
    """
    return not cluster.presumes_leadership(broker, partition)


@rule
def become_follower(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead, creation: Creation
) -> tuple[Cluster, Answer]:
    """Follow the leader, which begins with cutting the log.

    Where there is no leader, or its broker is unknown, only the log is created: epoch,
    leader and fetcher stay what they were. A broker that shuts down fetches no more.

    Rules: B-LIR-6, B-LIR-7, B-LIR-8, B-FETCH-2.
    Source: ReplicaManager.makeFollowers, Partition.makeFollower.
    """
    partition = asked.partition
    cluster, directory = find_or_create_log(cluster, broker, asked, creation)
    if directory is None:
        return mark_offline(cluster, broker, partition), Answer.STORAGE_ERROR
    content = asked.content
    if content.leader is None or not _knows(cluster, broker, content.leader):
        kept = cluster.replicas[broker][partition].keep(directory)
        return cluster.evolve(replicas={(broker, partition): kept}), Answer.NONE
    follower = cluster.replicas[broker][partition].follow(content, directory)
    fetcher = cluster.fetchers[broker][partition].start(content.leader, content.epoch)
    if cluster.processes[broker].is_shutting_down:
        fetcher = cluster.fetchers[broker][partition].stop()
    after = cluster.evolve(
        replicas={(broker, partition): follower},
        fetchers={(broker, partition): fetcher},
        remotes={(broker, partition): cluster.remotes[broker][partition].forget()},
    )
    return refuse_waiting(after, broker, partition), Answer.NONE


def mark_offline(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> Cluster:
    """Mark the replica offline, for as long as the process lives.

    Rules: B-LIR-8, B-LDF-6.  Source: ReplicaManager.markPartitionOffline.
    """
    marked = cluster.replicas[broker][partition].mark_offline()
    return cluster.evolve(
        replicas={(broker, partition): marked},
        fetchers={(broker, partition): cluster.fetchers[broker][partition].stop()},
        remotes={(broker, partition): cluster.remotes[broker][partition].forget()},
    )


def _knows(cluster: Cluster, broker: BrokerId, leader: BrokerId) -> bool:
    if not cluster.bounds.metadata:
        return True
    return cluster.metadata[broker].knows(leader)
