"""What a controller does about ISRs that leaders stored: an event, and tasks."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.cells.zookeeper.notifications import IsrChange
from replicheck.model.vocabulary import PartitionId


@frozen
class IsrChangeNotification:
    """A child of ``/isr_change_notification`` came or went."""


@frozen
class ListIsrChanges:
    """A new controller lists the ISR notifications, which it is to delete."""


@frozen
class TellIsrChanges:
    """Brokers are to be told of partitions, and the notifications to be deleted."""

    nodes: frozenset[IsrChange]
    partitions: frozenset[PartitionId]


IsrTask = ListIsrChanges | TellIsrChanges
