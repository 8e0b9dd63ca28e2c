"""Kafka 2.5.1, whose brokers may meet a controller of before 1.0, and so halt.

With ``inter.broker.protocol.version`` below 1.0 the controller may be of a version
that knows no notification of a failed directory.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import log_dirs, processes
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId


def halt_on_a_failed_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler halts the broker, also if it has other directories.

    Rules: B-LDF-2.  Source: ReplicaManager.LogDirFailureHandler.
    """
    if log_dirs.may_begin(cluster, broker, directory):
        yield processes.stop_process(cluster, broker)


OLD_CONTROLLER = KAFKA_2_5.replacing(
    log_dirs.mark_replicas_offline, by=halt_on_a_failed_directory
).named("kafka-2.5.1-with-protocol-0.11")
