"""Result of random walks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic

from attrs import field, frozen

from replicheck.explorer.engines.simulation.coverage_estimate import Seen
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import S
from replicheck.explorer.report import Failure, Trace, Violation


@frozen
class Simulation(Generic[S]):
    """What random walks found.

    ``walks`` counts those that were begun, ``actions`` the steps that were taken by
    the name of the action; ``reached`` has a walk to each witness that was reached.
    ``cut`` names the limit that ended the simulation, or is None where a violation or
    a failure did.
    """

    strategy: str
    walks: int
    steps: int
    seen: Seen
    actions: Mapping[str, int]
    violations: tuple[Violation[S], ...] = ()
    reached: Mapping[str, Trace[S]] = field(factory=dict)
    failure: Failure[S] | None = None
    cut: str | None = None
    seconds: float = field(default=0.0, eq=False)
    ended: int = 0
    """Walks that came to their end without a violation."""
    learner: Learner | None = field(default=None, eq=False, repr=False)
    """What was learned, for further walks; of a campaign several learners were."""

    @property
    def has_walked(self) -> bool:
        """Tell whether a limit left time for any step."""
        return self.steps > 0 or self.ended > 0

    @property
    def covered(self) -> float:
        """The share of further visits that would meet no new state, 0 without steps."""
        return self.seen.covered if self.has_walked else 0.0
