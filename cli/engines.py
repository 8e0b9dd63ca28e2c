"""The engines by name. Each is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.cli.settings import Counting, Settings
from replicheck.explorer.engine import Engine


def _naive(settings: Settings) -> Engine:
    from replicheck.explorer.naive import Naive

    return Naive()


def _numpy_walk(settings: Settings) -> Engine:
    from replicheck.explorer.numpy_walk import NumpyWalk

    return NumpyWalk()


def _breadth_first(settings: Settings) -> Engine:
    from replicheck.explorer.breadth_first import BreadthFirst
    from replicheck.explorer.learning import SAMPLE
    from replicheck.explorer.symmetry import Reduction

    reductions = {
        Counting.ALL: Reduction.NONE,
        Counting.UP_TO_SYMMETRY: Reduction.SYMMETRY,
    }
    return BreadthFirst(
        threads=settings.threads,
        sample=1 if settings.paranoid else SAMPLE,
        reduction=reductions[settings.counting],
    )


@frozen
class EngineChoice:
    """An engine that a user can choose.

    ``limits`` names the fields of `Limits` that it heeds, ``settings`` those of
    `Settings`.
    """

    summary: str
    make: Callable[[Settings], Engine]
    limits: frozenset[str]
    settings: frozenset[str] = frozenset()


ENGINES: Mapping[str, EngineChoice] = {
    "breadth-first": EngineChoice(
        "breadth-first over learned tables, compiled, on all cores",
        _breadth_first,
        frozenset({"states", "depth", "seconds"}),
        frozenset({"counting", "threads", "paranoid"}),
    ),
    "naive": EngineChoice(
        "breadth-first over Python values; simple and slow, the oracle of the others",
        _naive,
        frozenset({"states", "depth", "seconds"}),
    ),
    "numpy-walk": EngineChoice(
        "breadth-first over learned tables without compiled loops; a cross-check",
        _numpy_walk,
        frozenset({"states", "depth", "seconds"}),
    ),
}

DEFAULT_ENGINE = "breadth-first"
