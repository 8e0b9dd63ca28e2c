"""The describer of the exchange between a leader and the controller."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.invariants.describers.model_describer import (
    MessageInFlight,
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.alter_isr.protocols import PROTOCOLS
from replicheck.model.alter_isr.state import LEADER, Exchange
from replicheck.model.vocabulary import BrokerId


def _brokers(exchange: Exchange) -> Sequence[BrokerId]:
    return exchange.bounds.broker_ids


def _in_flight(exchange: Exchange) -> tuple[MessageInFlight, ...]:
    """The AlterIsr request or its answer, and the LeaderAndIsr request."""
    leader, manager = f"broker {LEADER}", exchange.manager
    found: list[MessageInFlight] = []
    if manager.is_answered():
        found.append(MessageInFlight("controller", leader, "AlterIsr response"))
    elif manager.has_sent():
        found.append(MessageInFlight(leader, "controller", "AlterIsr request"))
    if exchange.announced.is_there():
        found.append(MessageInFlight("controller", leader, "LeaderAndIsr request"))
    return tuple(found)


DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset({"stored", "controller"}),
    acting=("follower",),
    noun="broker",
    in_flight=_in_flight,
    participants=_brokers,
    documents=documents_of(PROTOCOLS),
    left=faults_left,
    budgets=faults_left,
    decides=frozenset({"bump_epoch", "move_controller", "handle_alter_isr"}),
)
