"""Runs of the model of KRaft, step by step."""

from __future__ import annotations

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.protocols import KAFKA_4_1, kraft_model
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.protocol import Protocol


def stepper(**bounds: int) -> Stepper:
    """A stepper of Kafka 4.1.1 within bounds."""
    return Stepper(kraft_model(KAFKA_4_1, KraftBounds(**bounds)))


def after(*steps: str, **bounds: int) -> KraftCluster:
    """The state of Kafka 4.1.1 after some steps, from that in which all are in sync."""
    return after_under(KAFKA_4_1, *steps, **bounds)


def after_under(protocol: Protocol, *steps: str, **bounds: int) -> KraftCluster:
    """The state under a protocol after some steps."""
    model = kraft_model(protocol, KraftBounds(**bounds))
    state: KraftCluster = Stepper(model).take(steps).steps[-1].state
    return state
