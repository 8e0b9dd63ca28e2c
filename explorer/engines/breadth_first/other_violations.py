"""Other violations: a property may be broken by several last actions.

A search reports one run to the violation of a property. Other states may break it as
well; of those, the shortest run is kept for each other action that led there. They are
looked for in the first level that breaks the property, and in all later ones if the
search visits every state whatever it finds. What follows a state that breaks an
invariant does not count: no state of a run before the last breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

import numpy as np
from attrs import frozen

from replicheck.explorer.engine import Stop
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.learning.batch_walk import Places
from replicheck.explorer.native.kernels.arrays import BROKEN_STEP, NOTHING_NOTED, Words
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Violation
from replicheck.explorer.search.guard_coverage import told_places
from replicheck.explorer.search.property_status import (
    JudgedLevel,
    LevelInMemory,
    PropertyStatus,
)

BLOCK = 1 << 18
"""So many states of a level are looked at together."""


@frozen(eq=False)
class ExpandedRows:
    """A level in memory, and what its expansion came to."""

    expansion: Expansion
    constraint_notes: Words | None
    rows: Any


class OtherViolations:
    """The violations by other last actions that a search has found so far."""

    def __init__(self, status: PropertyStatus[Any]) -> None:
        self.status = status
        self.found: list[Violation[Any]] = []
        self._seen: dict[str, set[str | None]] = {}
        self._broken: dict[str, Places] = {}
        """Which states of the level before have a run that breaks an invariant."""

    def hear_states(
        self, expanded: ExpandedRows, here: JudgedLevel, before: Set[str]
    ) -> None:
        """Look at the states of a level, which break invariants.

        Args:
            expanded: the level.
            here: the same.
            before: the properties that earlier levels break.
        """
        assert isinstance(here, LevelInMemory), "the level is in memory"
        learner = self.status.learner
        for claim in self._of_kind(Kind.ALWAYS, before):
            seen = self._seen_of(claim)
            is_first = claim.name not in before
            places = self._newly_broken(claim, expanded.rows, here, is_first)
            for action, place in here.path.last_actions(learner, here.level, places):
                if action not in seen:
                    seen.add(action)
                    trace = here.path.trace(learner, here.level, place)
                    self.found.append(self.status.violation(claim, trace))

    def hear_steps(
        self, expanded: ExpandedRows, here: JudgedLevel, before: Set[str]
    ) -> None:
        """Look at the steps from a level, which break step properties."""
        learner, expansion = self.status.learner, expanded.expansion
        for claim in self._of_kind(Kind.STEP, before):
            seen = self._seen_of(claim)
            notes = expansion.notes[BROKEN_STEP + learner.step_properties.index(claim)]
            for number in np.argsort(notes, kind="stable").tolist():
                action = learner.functions[number].instance.name
                if notes[number] != NOTHING_NOTED and action not in seen:
                    seen.add(action)
                    place = here.place_of(int(notes[number]))
                    trace = here.path.trace(learner, here.level, place)
                    self.found.append(
                        self.status.violation_by_step(claim, number, trace)
                    )

    def _of_kind(self, kind: Kind, before: Set[str]) -> Iterator[Property]:
        """Yield the violated properties whose other runs may be in this level."""
        goes_on = self.status.stop is Stop.EXHAUSTED
        for claim in self.status.properties:
            is_violated = claim.kind is kind and claim.name in self.status.violations
            if is_violated and (goes_on or claim.name not in before):
                yield claim

    def _newly_broken(
        self, claim: Property, rows: Any, here: LevelInMemory, is_first: bool
    ) -> Places:
        """Return the states that break an invariant, though nothing before them does.

        Where it is not known what broke it before, since the search was resumed, none.
        """
        blocks = [
            low + told_places(self.status.learner, claim, rows[low : low + BLOCK])
            for low in range(0, len(rows), BLOCK)
        ]
        broken: Places = np.concatenate(blocks)
        known = self._broken.get(claim.name)
        if known is None:
            self._broken[claim.name] = broken
            return broken if is_first else broken[:0]
        follows = here.path.come_from(here.level, known)
        self._broken[claim.name] = np.union1d(broken, np.flatnonzero(follows))
        newly: Places = broken[~follows[broken]]
        return newly

    def _seen_of(self, claim: Property) -> set[str | None]:
        """Return the last actions of which a run that breaks a property is kept."""
        steps = self.status.violations[claim.name].trace.steps
        first = steps[-1].action if steps else None
        return self._seen.setdefault(claim.name, {first})
