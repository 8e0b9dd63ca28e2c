"""The tally of a search: how many states and steps there are, as far as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from replicheck.explorer.engines.breadth_first.checkpoint import Progressed
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.report import ActionCount
from replicheck.explorer.search.property_status import Sighting


class Tally:
    """The states of each level, and the steps of each instance."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self.levels: list[int] = []
        """How many states each level has, that at work included."""
        self._generated = np.zeros(len(learner.functions), np.int64)
        self._enabled = np.zeros(len(learner.functions), np.int64)
        self._cuts: Counter[str] = Counter()

    @property
    def states(self) -> int:
        """Return the number of states."""
        return sum(self.levels)

    @property
    def generated(self) -> int:
        """Return the number of steps."""
        return int(self._generated.sum())

    @property
    def is_whole(self) -> bool:
        """Tell whether no constraint cut a state."""
        return not self._cuts

    def add(self, expansion: Expansion, cuts: Counter[str]) -> None:
        """Count the steps of a level, and the states of it that constraints cut."""
        self._cuts += cuts
        self._generated += expansion.generated
        self._enabled += expansion.enabled

    def restore(self, done: Progressed) -> None:
        """Go on where a search was, before the level that it was to expand next."""
        self.levels = list(done.levels[:-1])
        self._generated[:] = done.generated
        self._enabled[:] = done.enabled
        self._cuts = Counter(done.cuts)

    def progressed(
        self, complete: int, level: int, sightings: Sequence[Sighting], seconds: float
    ) -> Progressed:
        """Return how far the search is.

        Args:
            complete: how many levels have been expanded.
            level: how many states are to be expanded next.
        """
        return Progressed(
            [*self.levels[:complete], level],
            self._generated.tolist(),
            self._enabled.tolist(),
            dict(self._cuts),
            self._learner.premises.names_held,
            sightings,
            seconds,
        )

    @property
    def constrained(self) -> Mapping[str, int]:
        """Return for each constraint how many states it cut."""
        names = [each.__name__ for each in self._learner.model.constraints]
        return {name: self._cuts[name] for name in names}

    @property
    def actions(self) -> dict[str, ActionCount]:
        """Return the counts of each action over all its parameters."""
        model: Any = self._learner.model
        known = instances(model.actions, model.domains)
        counts = {each.name: ActionCount() for each in known}
        for number, learnt in enumerate(self._learner.functions):
            if learnt.role is Role.ACTION:
                name = learnt.instance.name
                so_far = counts[name]
                counts[name] = ActionCount(
                    so_far.generated + int(self._generated[number]),
                    so_far.enabled + int(self._enabled[number]),
                )
        return counts
