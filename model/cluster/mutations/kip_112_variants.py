"""What KIP-112 says where Kafka 2.5.1 does otherwise, each as a protocol.

``docs/kip-112.md`` says what each of them breaks.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import processes
from replicheck.model.cluster.controller import broker_changes, events
from replicheck.model.cluster.controller.partitions import isr_removal
from replicheck.model.cluster.mutations.controller.broker_changes import (
    take_a_bounce_for_a_start,
)
from replicheck.model.cluster.mutations.controller.responses import (
    take_every_error_for_offline,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import mutations_of
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId


def tell_only_the_leader(
    cluster: Cluster,
    assignment: tuple[BrokerId, ...],
    broker: BrokerId,
    content: LeaderAndIsr,
) -> tuple[BrokerId, ...]:
    """Followers are not told of the epoch in which the ISR shrank (D-10, C-RSM-4)."""
    return () if content.leader is None else (content.leader,)


def trust_directories_at_start(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A directory is taken for good until an access fails (D-12, B-START-1)."""
    for after in processes.start_broker(cluster, broker):
        directories = after.directories[broker]
        yield after.evolve(
            directories={
                (broker, directory): directories[directory].fail()
                for directory in cluster.bounds.directory_ids
                if directories[directory].is_offline()
            }
        )


VARIANTS = mutations_of(
    KAFKA_2_5,
    {
        "kip-112-any-error-is-offline": KAFKA_2_5.replacing(
            events.handle_leader_and_isr_response, by=take_every_error_for_offline
        ),
        "kip-112-tell-only-the-leader": KAFKA_2_5.replacing(
            isr_removal.others_to_tell, by=tell_only_the_leader
        ),
        "kip-112-trust-directories-at-start": KAFKA_2_5.replacing(
            processes.start_broker, by=trust_directories_at_start
        ),
        "kip-112-a-restart-is-no-failure": KAFKA_2_5.replacing(
            broker_changes.handle_broker_change, by=take_a_bounce_for_a_start
        ),
    },
)
"""Each variant, as a mutation of what the code does."""
