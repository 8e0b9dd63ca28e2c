"""Progress of random walks, told while they are at work."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen


@frozen
class WalkProgress:
    """Progress of a running simulation."""

    walks: int
    steps: int
    distinct: int
    seconds: float


WalkWatch = Callable[[WalkProgress], None]
"""Is called each round, and now and then while functions are learned.

May raise KeyboardInterrupt to end the simulation.
"""


@frozen
class WalkWatches:
    """Are called while something is at work; may raise KeyboardInterrupt to end it."""

    walks: WalkWatch
    """While walks are."""
    shrinking: Callable[[], None] = lambda: None
    """While a shorter run to a violation is looked for."""
