"""Other violations: a property may be broken by several last actions.

A search reports one run to the violation of a property. Other states may break it as
well; of those, the shortest run is kept for each other action that led there. They are
looked for in the first level that breaks the property, and in all later ones if the
search visits every state whatever it finds. What follows a state that breaks an
invariant does not count: no state of a run before the last breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from attrs import field, frozen

from replicheck.explorer.engine import Stop
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.native.kernels.arrays import (
    BROKEN_STEP,
    NOTHING_NOTED,
    Indices,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Trace, Violation
from replicheck.explorer.search.guard_coverage import told_places
from replicheck.explorer.search.property_status import (
    Decision,
    JudgedLevel,
    LevelInMemory,
    PropertyStatus,
    TraceSource,
)

BLOCK = 1 << 18
"""So many states of a level are looked at together."""


@frozen(eq=False)
class ExpandedRows:
    """A level in memory, and what its expansion came to."""

    expansion: Expansion
    constraint_notes: U64Array | None
    rows: RowView


@frozen(eq=False)
class OthersSnapshot:
    """What a checkpoint holds of other violations.

    ``decisions`` say where each was found. ``broken`` has, for each violated invariant,
    the states of the last complete level that have a run which breaks it.
    """

    decisions: Sequence[Decision] = ()
    broken: Mapping[str, Indices] = field(factory=dict)


class OtherViolations:
    """The violations by other last actions that a search has found so far."""

    def __init__(self, status: PropertyStatus[Any]) -> None:
        self.status = status
        self.found: list[Violation[Any]] = []
        self._decisions: list[Decision] = []
        self._seen: dict[str, set[str | None]] = {}
        self._broken: dict[str, Indices] = {}
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
        for claim in self._of_kind(Kind.ALWAYS, before):
            seen = self._seen_of(claim)
            is_first = claim.name not in before
            indices = self._newly_broken(claim, expanded.rows, here, is_first)
            actions = here.path.last_actions(self.status.learner, here.level, indices)
            for action, place in actions:
                if action not in seen:
                    self._keep(Decision(claim.name, here.level, place), here.path)

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
                    place = here.place_of(int(notes[number]))
                    decision = Decision(claim.name, here.level, place, number)
                    self._keep(decision, here.path)

    @property
    def snapshot(self) -> OthersSnapshot:
        """What another process needs to go on."""
        return OthersSnapshot(tuple(self._decisions), dict(self._broken))

    def restore(self, snapshot: OthersSnapshot, path: TraceSource) -> None:
        """Go on where another process was."""
        for decision in snapshot.decisions:
            self._keep(decision, path)
        self._broken = dict(snapshot.broken)

    def _keep(self, decision: Decision, path: TraceSource) -> None:
        """Keep the violation that a state, or a step from it, is."""
        status = self.status
        claim = next(c for c in status.properties if c.name == decision.property)
        trace = path.trace(status.learner, decision.level, decision.place)
        if decision.instance is None:
            violation = status.violation(claim, trace)
        else:
            violation = status.violation_by_step(claim, decision.instance, trace)
        self._decisions.append(decision)
        self.found.append(violation)
        self._seen_of(claim).add(_last_action(violation.trace))

    def _of_kind(self, kind: Kind, before: Set[str]) -> Iterator[Property]:
        """Yield the violated properties whose other runs may be in this level."""
        goes_on = self.status.stop is Stop.EXHAUSTED
        for claim in self.status.properties:
            is_violated = claim.kind is kind and claim.name in self.status.violations
            if is_violated and (goes_on or claim.name not in before):
                yield claim

    def _newly_broken(
        self, claim: Property, rows: RowView, here: LevelInMemory, is_first: bool
    ) -> Indices:
        """The states that break an invariant, though nothing before them does."""
        blocks = [
            low + told_places(self.status.learner, claim, rows[low : low + BLOCK])
            for low in range(0, len(rows), BLOCK)
        ]
        broken: Indices = np.concatenate(blocks)
        known = self._broken.get(claim.name)
        if known is None:
            self._broken[claim.name] = broken
            return broken if is_first else broken[:0]
        follows = here.path.come_from(here.level, known)
        self._broken[claim.name] = np.union1d(broken, np.flatnonzero(follows))
        newly: Indices = broken[~follows[broken]]
        return newly

    def _seen_of(self, claim: Property) -> set[str | None]:
        """The last actions of which a run that breaks a property is kept."""
        first = _last_action(self.status.violations[claim.name].trace)
        return self._seen.setdefault(claim.name, {first})


def _last_action(trace: Trace[Any]) -> str | None:
    return trace.steps[-1].action if trace.steps else None
