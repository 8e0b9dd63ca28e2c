"""Who is elected: one function for each reason to elect.

Each says who leads, who is in sync, and who is told; None is that no replica can lead.

Source: PartitionLeaderElectionAlgorithms, Election.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


@frozen
class Elected:
    """The result of an election."""

    leader: BrokerId
    isr: frozenset[BrokerId]
    told: tuple[BrokerId, ...]


Algorithm = Callable[[ControllerContext, PartitionId, LeaderAndIsr], Elected | None]


def elect_offline(
    context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
) -> Elected | None:
    """The first assigned replica that is online and in sync; the ISR is who is online.

    Whether a directory is good is not asked but of what the controller knows. A live
    broker whose replica is known to be offline is not told.

    Rules: C-ELECT-1, C-ELECT-7.
    Source: PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection,
    Election.leaderForOffline.
    """
    return elect_among(context.online_replicas(partition), content)


def elect_among(
    candidates: tuple[BrokerId, ...], content: LeaderAndIsr
) -> Elected | None:
    """Elect the first candidate in the ISR; the ISR keeps candidates only."""
    isr = [broker for broker in candidates if broker in content.isr]
    return Elected(isr[0], frozenset(isr), candidates) if isr else None


def elect_unclean(
    context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
) -> Elected | None:
    """Where no replica in sync is online, the first online replica, alone in sync.

    Rules: C-ELECT-2.
    Source: PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection.
    """
    clean = elect_offline(context, partition, content)
    online = context.online_replicas(partition)
    if clean is not None or not online:
        return clean
    return Elected(online[0], frozenset(online[:1]), online)


def elect_preferred(
    context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
) -> Elected | None:
    """The first assigned replica or none; the ISR stays, and all are told.

    Rules: C-ELECT-4.
    Source: PartitionLeaderElectionAlgorithms.preferredReplicaPartitionLeaderElection.
    """
    assignment = context.assignment_of(partition)
    preferred = assignment[0]
    if preferred not in content.isr or not context.is_online(preferred, partition):
        return None
    return Elected(preferred, content.isr, assignment)


def elect_for_shutdown(
    context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
) -> Elected | None:
    """The first replica in sync that does not shut down; one that does leaves the ISR.

    Members on an offline directory stay in it. The broker that goes down is told.

    Rules: C-ELECT-5, C-CTX-4.
    Source: PartitionLeaderElectionAlgorithms.controlledShutdownPartitionLeaderElection.
    """
    told = context.replicas_online_or_shutting_down(partition)
    isr = content.isr - context.shutting_down
    leader = next((broker for broker in told if broker in isr), None)
    return None if leader is None else Elected(leader, isr, told)


def elect_reassigned(
    context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
) -> Elected | None:
    """The first replica that remains, is online and in sync; the ISR stays.

    Rules: C-ELECT-3.
    Source: PartitionLeaderElectionAlgorithms.reassignPartitionLeaderElection.
    """
    target = context.full_assignment_of(partition).target
    can = [broker for broker in target if context.is_online(broker, partition)]
    leader = next((broker for broker in can if broker in content.isr), None)
    return None if leader is None else Elected(leader, content.isr, target)


ALGORITHMS: Mapping[Strategy, Algorithm] = {
    Strategy.OFFLINE: elect_offline,
    Strategy.UNCLEAN: elect_unclean,
    Strategy.PREFERRED: elect_preferred,
    Strategy.CONTROLLED_SHUTDOWN: elect_for_shutdown,
    Strategy.REASSIGN: elect_reassigned,
}
