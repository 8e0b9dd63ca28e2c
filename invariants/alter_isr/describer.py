"""The voice of the exchange between a leader and the controller."""

from __future__ import annotations

from replicheck.invariants.describers.actor_describer import (
    Voice,
    documents_of,
    faults_left,
)
from replicheck.invariants.describers.log_strips import Strip
from replicheck.model.alter_isr.protocols import PROTOCOLS
from replicheck.model.alter_isr.state import Exchange


def _no_logs(exchange: Exchange) -> tuple[Strip, ...]:
    return ()


VOICE = Voice(
    store="controller",
    stored=frozenset({"stored", "controller"}),
    strips=_no_logs,
    documents=documents_of(PROTOCOLS),
    left=faults_left,
    decides=frozenset({"bump_epoch", "move_controller", "handle_alter_isr"}),
)
