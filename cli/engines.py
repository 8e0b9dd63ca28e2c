"""The engines by name. Each is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.explorer.engine import Engine


def _naive() -> Engine:
    from replicheck.explorer.naive import Naive

    return Naive()


def _breadth_first() -> Engine:
    from replicheck.explorer.breadth_first import BreadthFirst

    return BreadthFirst()


@frozen
class EngineChoice:
    """An engine that a user can choose.

    ``limits`` names the fields of `Limits` that it heeds.
    """

    summary: str
    make: Callable[[], Engine]
    limits: frozenset[str]


ENGINES: Mapping[str, EngineChoice] = {
    "breadth-first": EngineChoice(
        "breadth-first over learned tables, compiled, on all cores",
        _breadth_first,
        frozenset({"states", "depth", "seconds"}),
    ),
    "naive": EngineChoice(
        "breadth-first over Python values; simple and slow, the oracle of the others",
        _naive,
        frozenset({"states", "depth", "seconds"}),
    ),
}

DEFAULT_ENGINE = "breadth-first"
