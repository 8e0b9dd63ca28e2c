"""How broker processes end and start, and how their sessions end.

Abstraction: no record that was appended is lost with a process. A broker whose session
lives on waits for the end of it before it starts.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.events import Reelect
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, PartitionId


def stop_process(cluster: Cluster, broker: BrokerId) -> Cluster:
    """Lose all memory, the controller's and its channels included; disks stay.

    Answers that are on their way get lost, and their requests stay first in line.

    Rules: B-START-5, C-Q-3, N-2.  Source: KafkaServer.
    """
    brokers = cluster.bounds.broker_ids
    channels = {
        (peer, broker): cluster.channels[peer][broker].lose_answer()
        for peer in brokers
        if peer != broker
    }
    for peer in brokers:
        channels[broker, peer] = cluster.channels[broker][peer].clear()
    for partition in cluster.bounds.partition_ids:
        cluster = forget_replica(cluster, broker, partition)
    return cluster.evolve(
        processes={broker: cluster.processes[broker].stop()},
        changed_partitions={broker: cluster.changed_partitions[broker].clear()},
        duplicate_requests={broker: cluster.duplicate_requests[broker].clear()},
        late_shutdowns={broker: cluster.late_shutdowns[broker].clear()},
        metadata={broker: cluster.metadata[broker].forget()},
        handlers={broker: cluster.handlers[broker].finish()},
        directories={
            (broker, directory): cluster.directories[broker][directory].stop()
            for directory in cluster.bounds.directory_ids
        },
        watches={broker: cluster.watches[broker].clear()},
        event_queues={broker: cluster.event_queues[broker].clear()},
        threads={broker: cluster.threads[broker].clear()},
        batches={broker: cluster.batches[broker].forget()},
        contexts={broker: cluster.contexts[broker].reset()},
        channels=channels,
    )


def forget_replica(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Cluster:
    """Lose what is in memory of one replica."""
    at = (broker, partition)
    return cluster.evolve(
        preferred={at: cluster.preferred[broker][partition].forget()},
        produces={at: cluster.produces[broker][partition].clear()},
        replicas={at: cluster.replicas[broker][partition].forget()},
        fetchers={at: cluster.fetchers[broker][partition].stop()},
        remotes={at: cluster.remotes[broker][partition].forget()},
    )


def end_session(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """ZooKeeper deletes the ephemeral znodes of a process that is no more.

    Rules: Z-IDS-1, Z-IDS-2, Z-WATCH-1.  Source: KafkaController.startup.
    """
    if not cluster.broker_nodes[broker].is_present:
        return
    if cluster.processes[broker].is_running:
        return
    yield delete_ephemeral_nodes(cluster, broker)


def delete_ephemeral_nodes(cluster: Cluster, broker: BrokerId) -> Cluster:
    """Delete the broker's registration, and ``/controller`` if it holds that.

    Rules: Z-IDS-1, Z-WATCH-1.  Source: KafkaZkClient.CheckedEphemeral.
    """
    if cluster.controller_nodes.is_held_by(broker):
        nodes = cluster.controller_nodes.delete()
        cluster = cluster.evolve(controller_nodes=nodes)
        cluster = fire_watches(cluster, ZooKeeperPath.CONTROLLER)
    cluster = fire_watches(cluster, ZooKeeperPath.BROKER_IDS)
    node = cluster.broker_nodes[broker].delete()
    return cluster.evolve(broker_nodes={broker: node})


def start_broker(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A process starts with the directories that are good, and registers.

    It then looks for a controller. Without a good directory it does not start.

    Rules: B-START-1, B-START-5, Z-IDS-1.
    Source: KafkaServer.startup, KafkaZkClient.registerBroker.
    """
    if not cluster.faults.allow("restarts"):
        return
    if cluster.processes[broker].is_running:
        return
    if cluster.broker_nodes[broker].is_present:
        return
    directories = cluster.directories[broker]
    if not any(
        directories[directory].is_good() for directory in cluster.bounds.directory_ids
    ):
        return
    epoch = BrokerEpoch(cluster.broker_nodes[broker].epoch + 1)
    cluster = fire_watches(cluster, ZooKeeperPath.BROKER_IDS)
    yield cluster.evolve(
        faults=cluster.faults.spend("restarts"),
        broker_nodes={broker: cluster.broker_nodes[broker].register()},
        processes={broker: cluster.processes[broker].start(epoch)},
        event_queues={broker: cluster.event_queues[broker].append(Reelect())},
    )
