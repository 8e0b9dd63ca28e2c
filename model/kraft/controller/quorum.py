"""Raft as brokers see it: what is committed, and what a failover loses.

A standby controller has a prefix of what the active one appended.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.cells.alter_partition import AlterPartitionChannel
from replicheck.model.kraft.cells.metadata import MetadataImage
from replicheck.model.kraft.cells.process import BrokerProcess
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def commit_metadata(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """One more event of the controller is committed; its answer can be given.

    Rules: KR-CTL-2, KR-CTL-3.  Source: OffsetControlManager.handleCommitBatch.
    """
    if cluster.metadata.has_uncommitted:
        yield cluster.evolve(metadata=cluster.metadata.commit_next())


def append_no_op_record(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """The controller appends a record that says nothing, again and again.

    Rules: KR-HB-3.  Source: QuorumController.maybeScheduleNextWriteNoOpRecord.
    """
    if not cluster.bounds.writes_no_op_records:
        return
    behind = frozenset(
        broker
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].has_published
    )
    if behind != cluster.behind_no_op:
        yield cluster.evolve(behind_no_op=behind)


def apply_no_op_record(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A broker that has applied all that is committed applies such a record, too.

    Rules: KR-PUB-1.  Source: MetadataLoader.maybePublishMetadata.
    """
    if broker not in cluster.behind_no_op:
        return
    if cluster.processes[broker].has_applied(cluster.metadata.committed):
        yield cluster.evolve(behind_no_op=cluster.behind_no_op - {broker})


def fail_over_controller(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """Another controller becomes active, with any prefix of what is not committed.

    Requests that were not answered go to it; registrations that are lost are made anew.

    Rules: KR-CTL-5, KR-CTL-6, KR-CTL-7, KR-CTL-8, KR-NET-1.
    Source: QuorumController.renounce, QuorumController.claim.
    """
    if not cluster.faults.allow("controller_failovers"):
        return
    brokers = cluster.bounds.broker_ids
    metadata = cluster.metadata
    for offset in range(metadata.committed, metadata.end + 1):
        image = metadata.at(offset)
        yield cluster.evolve(
            metadata=metadata.keep_up_to(offset),
            elr_index=image.elr_index,
            stored=image.partition,
            registrations=dict(enumerate(image.brokers)),
            min_isr=image.min_isr,
            has_elr=image.has_elr,
            asked_replicas=frozenset(),
            shutdown_offsets=dict.fromkeys(brokers),
            sessions=sessions_after(cluster),
            processes={
                broker: process_after(cluster, broker, image) for broker in brokers
            },
            channels={broker: channel_after(cluster, broker) for broker in brokers},
            assignments={
                broker: cluster.assignments[broker].send_again() for broker in brokers
            },
            faults=cluster.faults.spend("controller_failovers"),
        )


def process_after(
    cluster: KraftCluster, broker: BrokerId, image: MetadataImage
) -> BrokerProcess:
    """A process whose registration was lost has none, and a lost report no answer.

    A report that was kept is in the next heartbeat as well, whose answer comes instead.

    Rules: KR-CTL-5, KR-CTL-9, KR-HB-7.  Source: QuorumController.renounce.
    """
    process = cluster.processes[broker]
    if not image.brokers[broker].is_in(process.epoch):
        process = process.lose_registration()
    if not image.brokers[broker].directories.isdisjoint(process.reported):
        process = process.lose_answer()
    return process


@rule
def sessions_after(cluster: KraftCluster) -> frozenset[BrokerId]:
    """The brokers with a session: each one counts as just seen.

    Rules: KR-CTL-6, KR-CTL-8.  Source: ClusterControlManager.activate.
    """
    return frozenset(cluster.bounds.broker_ids)


@rule
def channel_after(cluster: KraftCluster, broker: BrokerId) -> AlterPartitionChannel:
    """A request that was not answered goes to the next controller.

    Rules: KR-NET-1.  Source: NodeToControllerRequestThread.handleResponse.
    """
    return cluster.channels[broker].send_again()
