"""AlterIsr of Kafka 3.3.0 as a protocol, and the model that runs it from a state on."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from replicheck.model.alter_isr import controller, leader
from replicheck.model.alter_isr.bounds import Bounds
from replicheck.model.alter_isr.state import Exchange, in_sync
from replicheck.model.protocol import Action, Protocol
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


@frozen
class AlterIsrModel:
    """The exchange under one protocol, within bounds, from one state on."""

    protocol: Protocol = KAFKA_3_3
    bounds: Bounds = Bounds()
    start: Exchange | None = None
    name: str = "alter-isr"
    constraints: tuple[()] = ()
    symmetries: tuple[()] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """Return the protocol's actions that the bounds allow at all."""
        return self.protocol.allowed_by(self.bounds, BUDGETS)

    @property
    def domains(self) -> dict[object, tuple[object, ...]]:
        """Return everything that a parameter can be, within the bounds."""
        return {BrokerId: self.bounds.broker_ids}

    def initial_states(self) -> Iterator[Exchange]:
        """Yield the one initial state, which knows the rules of the protocol."""
        start = self.start or in_sync(self.bounds)
        yield evolve(start, replacements=self.protocol.replacements)
