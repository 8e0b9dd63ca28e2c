"""The protocols in the order of their history, and the model that runs one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, permutations
from typing import Any

from attrs import evolve, frozen

from replicheck.model.protocol import Protocol, ProtocolModel
from replicheck.model.replication import controller, follower, leader
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.state import (
    AbstractReplica,
    QuorumState,
    Requests,
    initial_cluster,
)
from replicheck.model.vocabulary import BrokerId, Epoch, RecordId

TRUNCATE_TO_HIGH_WATERMARK = Protocol(
    name="truncate-to-high-watermark",
    actions=(
        controller.elect_leader,
        controller.remove_from_isr,
        leader.become_leader,
        leader.expand_isr,
        leader.shrink_isr,
        leader.append_to_leader,
        leader.increment_high_watermark,
        follower.become_follower_and_truncate_to_high_watermark,
        follower.fetch,
    ),
)
KIP_101 = TRUNCATE_TO_HIGH_WATERMARK.replacing(
    follower.become_follower_and_truncate_to_high_watermark,
    by=follower.become_follower_and_truncate_by_kip_101,
).named("kip-101")
KIP_279 = KIP_101.replacing(
    follower.become_follower_and_truncate_by_kip_101,
    by=follower.become_follower_and_truncate_by_kip_279,
).named("kip-279")
KIP_320_FIRST_TRY = (
    KIP_279.replacing(leader.expand_isr, by=leader.epoch_checked_expand_isr)
    .replacing(leader.shrink_isr, by=leader.epoch_checked_shrink_isr)
    .replacing(
        leader.increment_high_watermark,
        by=leader.epoch_checked_increment_high_watermark,
    )
    .replacing(
        follower.become_follower_and_truncate_by_kip_279, by=follower.become_follower
    )
    .replacing(follower.fetch, by=follower.epoch_checked_fetch)
    .adding(follower.truncate_on_diverging_epoch)
    .named("kip-320-first-try")
)
KIP_320 = (
    KIP_279.replacing(leader.expand_isr, by=leader.fenced_expand_isr)
    .replacing(leader.shrink_isr, by=leader.fenced_shrink_isr)
    .replacing(
        leader.increment_high_watermark, by=leader.fenced_increment_high_watermark
    )
    .replacing(
        follower.become_follower_and_truncate_by_kip_279,
        by=follower.fenced_become_follower_and_truncate,
    )
    .replacing(follower.fetch, by=follower.fenced_fetch)
    .named("kip-320")
)
KIP_320_DELAYED = (
    KIP_320.replacing(controller.elect_leader, by=controller.elect_leader_among_live)
    .replacing(leader.fenced_expand_isr, by=leader.delayed_expand_isr)
    .replacing(leader.fenced_shrink_isr, by=leader.delayed_shrink_isr)
    .replacing(follower.fenced_fetch, by=follower.delayed_fetch)
    .adding(follower.learn_high_watermark)
    .named("kip-320-delayed")
)

PROTOCOLS = (
    TRUNCATE_TO_HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320_FIRST_TRY,
    KIP_320,
    KIP_320_DELAYED,
)


@frozen
class BrokerRenaming:
    """One way to rename brokers; the protocol treats them all alike."""

    renamed: tuple[BrokerId, ...]

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index of the renamed broker's cell."""
        return tuple(self.renamed[broker] for broker in index)

    def value(self, value: Any) -> Any:
        """A cell's value with its brokers renamed."""
        match value:
            case AbstractReplica() | QuorumState():
                return evolve(
                    value, leader=self._broker(value.leader), isr=self._set(value.isr)
                )
            case Requests():
                return Requests(
                    frozenset(self.value(request) for request in value.sent)
                )
        return value

    def then(self, after: BrokerRenaming) -> BrokerRenaming:
        """The renaming that is this one and then another one."""
        return BrokerRenaming(tuple(after.renamed[broker] for broker in self.renamed))

    def _broker(self, broker: BrokerId | None) -> BrokerId | None:
        return None if broker is None else self.renamed[broker]

    def _set(self, brokers: Iterable[BrokerId]) -> frozenset[BrokerId]:
        return frozenset(self.renamed[broker] for broker in brokers)


@frozen
class BrokerRenamings:
    """The renamings of the brokers but for the identity, each made when it is due."""

    brokers: tuple[BrokerId, ...]

    def __iter__(self) -> Iterator[BrokerRenaming]:
        orders = permutations(self.brokers)
        return map(BrokerRenaming, islice(orders, 1, None))


def replication_model(
    protocol: Protocol = KIP_320, bounds: ReplicationBounds = ReplicationBounds()
) -> ProtocolModel:
    """The model of the abstract partition under one protocol, within bounds."""
    return ProtocolModel(
        "replication",
        protocol,
        bounds,
        initial_cluster,
        domains={
            BrokerId: bounds.broker_ids,
            Epoch: bounds.epochs,
            RecordId: bounds.record_ids,
        },
        symmetries=BrokerRenamings(bounds.broker_ids),
    )
