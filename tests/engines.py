"""The engines that every specification of an engine is checked with."""

from __future__ import annotations

from replicheck.explorer.engine import Engine
from replicheck.explorer.naive import Naive

ENGINES: list[Engine] = [Naive()]


def name_of(engine: Engine) -> str:
    """Return the name by which a test with this engine goes."""
    return engine.name
