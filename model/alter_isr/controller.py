"""The controller's side, and what can go wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.alter_isr.state import (
    Announcement,
    Exchange,
    Proposal,
    Refusal,
    StoredIsr,
    StoredPartition,
)
from replicheck.model.rules import rule


def handle_alter_isr(exchange: Exchange) -> Iterator[Exchange]:
    """A controller answers a proposal, and stores the ISR if that is called for.

    One that was deposed cannot store anything.

    Source: KafkaController.processAlterIsr.
    """
    sent = exchange.manager.sent
    if sent is None or exchange.manager.is_answered():
        return
    refused = verdict(exchange, sent)
    if refused is not None:
        yield exchange.evolve(manager=exchange.manager.reply(refused))
        return
    if exchange.controller.is_deposed:
        manager = exchange.manager.reply(Refusal.NOT_CONTROLLER)
        yield exchange.evolve(manager=manager)
        return
    content = content_to_store(exchange, sent)
    yield exchange.evolve(
        stored=StoredPartition(content),
        controller=exchange.controller.cache(content),
        manager=exchange.manager.reply(content),
    )


@rule
def content_to_store(exchange: Exchange, sent: Proposal) -> StoredIsr:
    """The proposed ISR in the leader epoch of now: followers go on as they are.

    Source: KafkaController.processAlterPartition, 3.3.0.
    """
    return exchange.stored.content.write(sent.isr)


@rule
def verdict(exchange: Exchange, sent: Proposal) -> StoredIsr | Refusal | None:
    """The answer of a controller that stores nothing, if it stores nothing.

    Who is behind its leader is no controller any more. What is stored already is the
    answer, for any version of the leader: its last answer got lost.

    Source: KafkaController.processAlterPartition, 3.3.0.
    """
    known = exchange.controller.cached
    if is_behind(known, sent):
        return Refusal.NOT_CONTROLLER
    if sent.epoch < known.epoch:
        return Refusal.FENCED
    if known.is_as_wanted(sent.isr, sent.epoch):
        return known
    if sent.version < known.version:
        return Refusal.INVALID_VERSION
    return None


def is_behind(known: StoredIsr, sent: Proposal) -> bool:
    """Tell whether a leader knows more than a controller."""
    return sent.epoch > known.epoch or sent.version > known.version


def bump_epoch(exchange: Exchange) -> Iterator[Exchange]:
    """The controller stores a new leader epoch, and tells the leader.

    Source: KafkaController.onPartitionReassignment, ReplicaStateMachine.
    """
    if not exchange.faults.allow("epoch_bumps"):
        return
    content = exchange.stored.content.bump()
    exchange = exchange.evolve(
        faults=exchange.faults.spend("epoch_bumps"),
        stored=StoredPartition(content),
        announced=Announcement(content),
    )
    if not exchange.controller.is_deposed:
        exchange = exchange.evolve(controller=exchange.controller.cache(content))
    yield exchange


def move_controller(exchange: Exchange) -> Iterator[Exchange]:
    """Another broker becomes controller, and the leader asks the one before.

    Source: KafkaController.elect.
    """
    if not exchange.faults.allow("controller_moves"):
        return
    if exchange.controller.is_deposed:
        return
    yield exchange.evolve(
        faults=exchange.faults.spend("controller_moves"),
        controller=exchange.controller.depose(),
    )


def lose_answer(exchange: Exchange) -> Iterator[Exchange]:
    """An answer gets lost, and the request goes out again.

    Source: BrokerToControllerRequestThread.
    """
    if not exchange.faults.allow("lost_answers"):
        return
    if not exchange.manager.is_answered():
        return
    yield exchange.evolve(
        faults=exchange.faults.spend("lost_answers"),
        manager=exchange.manager.lose_answer(),
    )
