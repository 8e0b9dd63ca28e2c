"""ZooKeeper: what the znodes hold, and the watches that each broker has set."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerEpoch, BrokerId, ControllerEpoch


class ZooKeeperPath(Enum):
    """The paths that are watched."""

    CONTROLLER = "/controller"
    BROKER_IDS = "/brokers/ids"
    TOPICS = "/brokers/topics"
    LOG_DIR_EVENTS = "/log_dir_event_notification"
    ISR_CHANGES = "/isr_change_notification"
    DELETE_TOPICS = "/admin/delete_topics"
    REASSIGN_PARTITIONS = "/admin/reassign_partitions"


@frozen
class ControllerNodes:
    """``/controller`` and ``/controller_epoch``.

    Abstraction: the version of the epoch's znode is the epoch itself, since every
    write of one adds 1 to both.

    Rules: Z-CTRL-2.  Source: KafkaZkClient.
    """

    holder: BrokerId | None = None
    epoch: ControllerEpoch = ControllerEpoch(0)

    def is_absent(self) -> bool:
        """Tell whether there is no controller."""
        return self.holder is None

    def is_held_by(self, broker: BrokerId) -> bool:
        """Tell whether a broker is the controller."""
        return self.holder == broker

    def has_epoch(self, epoch: ControllerEpoch | None) -> bool:
        """Tell whether the controller epoch is the given one."""
        return self.epoch == epoch

    def elect(self, broker: BrokerId) -> Self:
        """Create ``/controller`` and increment the epoch, both at once."""
        return evolve(self, holder=broker, epoch=ControllerEpoch(self.epoch + 1))

    def delete(self) -> Self:
        """Delete ``/controller``; the epoch stays."""
        return evolve(self, holder=None)


@frozen
class BrokerNode:
    """``/brokers/ids/<broker>``, and the epoch of its last registration.

    Abstraction: the epoch is the number of the broker's registrations. Kafka takes the
    znode's creation transaction; only epochs of one broker are ever compared.
    """

    is_present: bool = False
    epoch: BrokerEpoch = BrokerEpoch(0)

    @property
    def live_epoch(self) -> BrokerEpoch | None:
        """The broker's epoch, or None if it is not registered."""
        return self.epoch if self.is_present else None

    def register(self) -> Self:
        """Create the znode in a new epoch."""
        return evolve(self, is_present=True, epoch=BrokerEpoch(self.epoch + 1))

    def delete(self) -> Self:
        """Delete the znode, as the end of its session does."""
        return evolve(self, is_present=False)


@frozen
class LogDirNotification:
    """``/log_dir_event_notification/log_dir_event_<sequence>``: "ask this broker".

    Rules: Z-LDE-2.  Source: LogDirEventNotificationSequenceZNode.
    """

    sequence: int
    broker: BrokerId


@frozen
class LogDirNotifications:
    """The children of ``/log_dir_event_notification``."""

    nodes: frozenset[LogDirNotification] = frozenset()
    next_sequence: int = 0

    def is_empty(self) -> bool:
        """Tell whether there is no notification."""
        return not self.nodes

    def has(self, broker: BrokerId) -> bool:
        """Tell whether there is a notification of a broker."""
        return any(node.broker == broker for node in self.nodes)

    def create(self, broker: BrokerId) -> Self:
        """Create a persistent sequential znode."""
        node = LogDirNotification(self.next_sequence, broker)
        return evolve(
            self, nodes=self.nodes | {node}, next_sequence=self.next_sequence + 1
        )

    def delete(self, nodes: frozenset[LogDirNotification]) -> Self:
        """Delete exactly these znodes; one that is gone is no error."""
        return evolve(self, nodes=self.nodes - nodes)
