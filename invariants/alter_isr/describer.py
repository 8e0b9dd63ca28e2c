"""The describer of the exchange between a leader and the controller."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.invariants.describers.model_describer import (
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.alter_isr.protocols import PROTOCOLS
from replicheck.model.alter_isr.state import Exchange
from replicheck.model.vocabulary import BrokerId


def _brokers(exchange: Exchange) -> Sequence[BrokerId]:
    return exchange.bounds.broker_ids


DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset({"stored", "controller"}),
    acting=("follower",),
    noun="broker",
    participants=_brokers,
    documents=documents_of(PROTOCOLS),
    left=faults_left,
    budgets=faults_left,
    decides=frozenset({"bump_epoch", "move_controller", "handle_alter_isr"}),
)
