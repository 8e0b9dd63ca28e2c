"""Mutations of AlterIsr: the rules that Kafka broke between 2.7 and 3.3."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.alter_isr import controller, leader
from replicheck.model.alter_isr.protocols import KAFKA_3_3
from replicheck.model.alter_isr.state import (
    Exchange,
    IsrState,
    Proposal,
    Refusal,
    StoredIsr,
)
from replicheck.model.protocol import mutations_of
from replicheck.model.rules import original
from replicheck.model.vocabulary import Epoch


def ignore_the_known_version(exchange: Exchange, answer: StoredIsr) -> bool:
    """An answer with the version that the leader has is ignored (KAFKA-12751)."""
    known = exchange.partition.committed
    return answer.epoch == known.epoch and answer.version > known.version


def compare_the_version_first(
    exchange: Exchange, sent: Proposal
) -> StoredIsr | Refusal | None:
    """A change whose answer got lost is refused when asked for again (KAFKA-14144)."""
    known = exchange.controller.cached
    if sent.epoch == known.epoch and sent.version < known.version:
        return Refusal.INVALID_VERSION
    return original(controller.verdict)(exchange, sent)


def fence_any_other_epoch(
    exchange: Exchange, sent: Proposal
) -> StoredIsr | Refusal | None:
    """A deposed controller fences a leader that is ahead of it (KAFKA-14154)."""
    if sent.epoch != exchange.controller.cached.epoch:
        return Refusal.FENCED
    return original(controller.verdict)(exchange, sent)


def free_entry_before_response(exchange: Exchange) -> Exchange:
    """A new epoch frees the entry before its answer came (KAFKA-12686)."""
    after = original(leader.take_leadership)(exchange)
    return after.evolve(manager=after.manager.forget_waiting())


def free_the_entry_last(exchange: Exchange) -> Exchange:
    """An entry is freed after the change was submitted anew (KAFKA-14010)."""
    after = original(leader.ask_again)(exchange)
    return after.evolve(manager=after.manager.forget_waiting())


def commit_the_isr_only(exchange: Exchange, answer: StoredIsr) -> Exchange:
    """The high watermark stays although a smaller ISR is stored (KAFKA-13091)."""
    return exchange.evolve(partition=exchange.partition.commit(answer))


def shrink_in_a_new_epoch(exchange: Exchange, sent: Proposal) -> StoredIsr:
    """A replica that leaves the ISR makes a new leader epoch (KAFKA-15021)."""
    content = original(controller.content_to_store)(exchange, sent)
    if exchange.stored.content.isr <= sent.isr:
        return content
    return evolve(content, epoch=Epoch(content.epoch + 1))


def wait_for_the_committed_isr(exchange: Exchange) -> IsrState:
    """A follower about to join the ISR is not waited for (KIP-497)."""
    partition = exchange.partition
    if partition.committed.isr & exchange.behind():
        return partition
    return partition.raise_high_watermark()


MUTATIONS = mutations_of(
    KAFKA_3_3,
    {
        "kafka-12751-ignore-the-known-version": KAFKA_3_3.replacing(
            leader.is_current, by=ignore_the_known_version
        ),
        "kafka-14144-compare-the-version-first": KAFKA_3_3.replacing(
            controller.verdict, by=compare_the_version_first
        ),
        "kafka-14154-fence-any-other-epoch": KAFKA_3_3.replacing(
            controller.verdict, by=fence_any_other_epoch
        ),
        "kafka-12686-free-entry-before-response": KAFKA_3_3.replacing(
            leader.take_leadership, by=free_entry_before_response
        ),
        "kafka-14010-free-the-entry-last": KAFKA_3_3.replacing(
            leader.ask_again, by=free_the_entry_last
        ),
        "kafka-13091-commit-the-isr-only": KAFKA_3_3.replacing(
            leader.committed, by=commit_the_isr_only
        ),
        "kafka-15021-shrink-in-a-new-epoch": KAFKA_3_3.replacing(
            controller.content_to_store, by=shrink_in_a_new_epoch
        ),
        "kip-497-wait-for-the-committed-isr": KAFKA_3_3.replacing(
            leader.increment_high_watermark, by=wait_for_the_committed_isr
        ),
    },
)
