"""What is true of a leader that asks the controller for changes of its ISR."""

from __future__ import annotations

from replicheck.model.alter_isr.state import Exchange


def isr_change_in_flight_ends(exchange: Exchange) -> bool:
    """A leader with a change in flight has asked, or will be told a new epoch."""
    if not exchange.partition.has_in_flight():
        return True
    if exchange.manager.has_waiting():
        return True
    return exchange.announced.is_there()


def fully_replicated_records_are_committed(exchange: Exchange) -> bool:
    """Where no change is in flight, only members of the ISR are waited for."""
    if exchange.partition.has_in_flight():
        return True
    partition = exchange.partition
    if partition.committed.isr & exchange.behind():
        return True
    return partition.high_watermark == partition.end


def isr_change_keeps_leader_epoch(before: Exchange, after: Exchange) -> bool:
    """A change of the ISR alone begins no leader epoch (KAFKA-15021; holds)."""
    if after.stored is before.stored:
        return True
    if after.stored.content.isr == before.stored.content.isr:
        return True
    return after.stored.content.epoch == before.stored.content.epoch


def commit_requires_stored_isr(before: Exchange, after: Exchange) -> bool:
    """A record is committed when all replicas that can be elected have it."""
    if after.partition is before.partition:
        return True
    if after.partition.high_watermark == before.partition.high_watermark:
        return True
    return not before.stored.content.isr & after.behind()


def isr_change_is_in_flight(exchange: Exchange) -> bool:
    """A leader waits for what becomes of its proposal."""
    return exchange.partition.has_in_flight()


def follower_has_rejoined_isr(exchange: Exchange) -> bool:
    """A leader knows that a follower joined the ISR again."""
    if exchange.partition.has_in_flight():
        return False
    return (
        exchange.partition.committed.version > 1
        and len(exchange.partition.committed.isr) == exchange.bounds.brokers
    )


def alter_isr_targets_deposed_controller(exchange: Exchange) -> bool:
    """A proposal is on its way to a controller that was deposed."""
    return exchange.controller.is_deposed and exchange.manager.has_sent()


SAFETY = (isr_change_in_flight_ends, fully_replicated_records_are_committed)
STEPS = (
    commit_requires_stored_isr,
    isr_change_keeps_leader_epoch,
)
WITNESSES = (
    isr_change_is_in_flight,
    follower_has_rejoined_isr,
    alter_isr_targets_deposed_controller,
)
