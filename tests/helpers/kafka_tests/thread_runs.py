"""Runs of KRaft's brokers with fetcher threads, by the labels of their steps."""

from __future__ import annotations

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.model.kraft_composed.bounds import KraftComposedBounds
from replicheck.model.kraft_composed.protocols import kraft_composed_model
from replicheck.model.kraft_composed.state import KraftComposed

CUT_EMPTY_LOG = ("fetch_truncating_partitions", "truncate_to_high_watermark")
FETCH = ("maybe_fetch", "handle_fetch_request", "process_fetch_request")


def steps_of_thread(follower: int, leader: int, *phases: str) -> tuple[str, ...]:
    """Labels of what a thread does, and of what its leader answers."""
    thread = f"follower={follower}, leader={leader}, fetcher=0"
    return tuple(f"{phase}({thread})" for phase in phases)


def after(*steps: str, **bounds: int) -> KraftComposed:
    """The state after some steps, from that in which all are in sync."""
    model = kraft_composed_model(bounds=KraftComposedBounds(**bounds))
    state: KraftComposed = Stepper(model).take(steps).steps[-1].state
    return state
