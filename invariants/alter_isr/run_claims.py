"""What fair runs of AlterIsr do in the end: proposals that end, records committed.

A follower need not catch up; one that lags for ever is to leave the ISR.
"""

from __future__ import annotations

from replicheck.invariants.alter_isr.properties import isr_change_is_in_flight
from replicheck.model.alter_isr.state import LEADER, Exchange
from replicheck.model.modelling.run_claims import leads_to
from replicheck.model.vocabulary import BrokerId


def isr_change_is_settled(exchange: Exchange) -> bool:
    """A leader waits for the answer to no proposal."""
    return not isr_change_is_in_flight(exchange)


def record_waits_for_followers(exchange: Exchange) -> bool:
    """The high watermark is behind the end of the log."""
    return exchange.partition.high_watermark < exchange.partition.end


def every_record_is_committed(exchange: Exchange) -> bool:
    """The high watermark is at the end of the log."""
    return not record_waits_for_followers(exchange)


def complete_follower_is_left_out(exchange: Exchange, follower: BrokerId) -> bool:
    """A follower has all records, and is not in the ISR, as the leader knows it."""
    if follower == LEADER or exchange.replicas[follower].lacks_records():
        return False
    return follower not in exchange.partition.committed.isr


def follower_is_in_sync_or_lags(exchange: Exchange, follower: BrokerId) -> bool:
    """The follower is in the ISR, or lacks a record."""
    return not complete_follower_is_left_out(exchange, follower)


RUN_CLAIMS = (
    leads_to(isr_change_is_in_flight, isr_change_is_settled),
    leads_to(record_waits_for_followers, every_record_is_committed),
    leads_to(complete_follower_is_left_out, follower_is_in_sync_or_lags),
)
