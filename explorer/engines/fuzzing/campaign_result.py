"""Results of a campaign: the violation that was found, and what it was drawn in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from attrs import field, frozen

from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import S
from replicheck.explorer.report import Violation


@frozen
class FoundViolation(Generic[S]):
    """A walk that violates a property, and the bounds of its model that were drawn."""

    violation: Violation[S]
    bounds: Mapping[str, int]
    faults: int
    states: int

    @property
    def size(self) -> tuple[int, int, int]:
        """Order by which shrinking prefers violations: faults, states, bounds."""
        return self.faults, self.states, sum(self.bounds.values())


@frozen
class CampaignResult(Generic[S]):
    """What a campaign came to; ``walks`` has the smallest walk as its violation.

    ``learners`` are of the models that were walked last.
    """

    walks: Simulation[S]
    learners: Sequence[Learner] = field(eq=False)
    bounds: Mapping[str, int] = field(factory=dict)
    first_length: int = 0
    """States of the walk that was found first, before it shrank."""
