"""AlterIsr of Kafka 3.3.0 as a protocol, and the model that runs it from a state on."""

from __future__ import annotations

from replicheck.model.alter_isr import controller, leader
from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.alter_isr.state import Exchange, in_sync
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.vocabulary import BrokerId

ENVIRONMENT: tuple[Action, ...] = (
    controller.bump_epoch,
    controller.move_controller,
    controller.lose_answer,
)
KAFKA_3_3 = Protocol(
    "kafka-3.3.0",
    (
        *ENVIRONMENT,
        leader.append,
        leader.catch_up,
        leader.expand_isr,
        leader.shrink_isr,
        leader.send_alter_isr,
        leader.handle_alter_isr_response,
        leader.become_leader,
        controller.handle_alter_isr,
    ),
)
PROTOCOLS = (KAFKA_3_3,)

BUDGETS: dict[str, tuple[str, ...]] = {
    "bump_epoch": ("epoch_bumps",),
    "become_leader": ("epoch_bumps",),
    "move_controller": ("controller_moves",),
    "lose_answer": ("lost_answers",),
    "append": ("records",),
}
"""For each action, by name, the bound without which it can never happen."""


def alter_isr_model(
    protocol: Protocol = KAFKA_3_3,
    bounds: AlterIsrBounds = AlterIsrBounds(),
    start: Exchange | None = None,
) -> ProtocolModel:
    """The model of the exchange under one protocol, within bounds, from one state."""
    return ProtocolModel(
        "alter-isr",
        protocol,
        bounds,
        in_sync,
        domains={BrokerId: bounds.broker_ids},
        budgets=BUDGETS,
        start=start,
    )
