"""The engines by name. Each is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.explorer.engine import Engine


def _naive() -> Engine:
    from replicheck.explorer.naive import Naive

    return Naive()


@frozen
class EngineChoice:
    """An engine that a user can choose.

    ``limits`` names the fields of `Limits` that it heeds.
    """

    summary: str
    make: Callable[[], Engine]
    limits: frozenset[str]


ENGINES: Mapping[str, EngineChoice] = {
    "naive": EngineChoice(
        "breadth-first over Python values; simple and slow, the oracle of the others",
        _naive,
        frozenset({"states", "depth", "seconds"}),
    ),
}

DEFAULT_ENGINE = "naive"
