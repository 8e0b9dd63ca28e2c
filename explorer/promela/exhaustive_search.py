"""Exhaustive search: visits all states, so that the tables lack no answer.

A search for a verdict leaves out what it can: an instance that a single value disables,
a property that is decided. Who reads the tables needs what every instance does in every
reachable state, so this search walks them all, and ends for no violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
from attrs import frozen

from replicheck.explorer.engine import Progress, Watch, unwatched
from replicheck.explorer.errors import ModelError, TooManyStates
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.frontier.expander import Expander
from replicheck.explorer.frontier.levels import NextLevel, first_level
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.native.kernels.arrays import (
    BROKEN_STEP,
    FAILURE,
    NOTE,
    NOTHING_NOTED,
    Level,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView, fields_of
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.runtime.memory.buffer_pool import BufferPool
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.level_loop import visit_levels


@frozen
class ExhaustiveResult:
    """A model's complete tables, and what the search counted.

    ``constrained`` is the number of states that a constraint keeps from being expanded;
    ``violated`` holds the names of the properties that do not hold.
    """

    learner: Learner
    properties: tuple[Property, ...]
    levels: tuple[int, ...]
    generated: int
    constrained: int
    violated: frozenset[str]

    @property
    def states(self) -> int:
        """The number of distinct states."""
        return sum(self.levels)


def visit_all(
    model: Model[Any],
    properties: Sequence[Property],
    limit: int | None = None,
    watch: Watch = unwatched,
) -> ExhaustiveResult:
    """Visit all states on one thread, so that equal models give equal tables.

    Raises:
        TooManyStates: if there are more than ``limit``.
        ModelError: if the model breaks the contract, or one of its functions raises.
    """
    threads = ThreadPool(1)
    try:
        return _ExhaustiveSearch(model, properties, limit, watch, threads).run()
    finally:
        threads.close()


class _ExhaustiveSearch:
    def __init__(
        self,
        model: Model[Any],
        properties: Sequence[Property],
        limit: int | None,
        watch: Watch,
        threads: ThreadPool,
    ) -> None:
        self.limit, self.watch = limit, watch
        self.properties = tuple(properties)
        self.learner = Learner(model, properties)
        self.expander = Expander(self.learner, threads, masked=False)
        self.visited = VisitedSet()
        self.levels: list[int] = []
        self.generated = self.constrained = 0
        self.violated: set[str] = set()
        self.started = monotonic()
        self.constraints = self._instances(Role.CONSTRAINT)
        self.property_instances = self._instances(Role.PROPERTY)
        self.steps = self._instances(Role.ACTION, Role.PROPERTY)
        self._buffers = BufferPool()
        self.level = self._first()

    def run(self) -> ExhaustiveResult:
        """Visit every level."""
        visit_levels(self)
        return ExhaustiveResult(
            self.learner,
            self.properties,
            tuple(self.levels),
            self.generated,
            self.constrained,
            frozenset(self.violated),
        )

    @property
    def size(self) -> int:
        """Number of states of the level at work."""
        return len(self.level.fingerprints)

    def enforce(self) -> None:
        """Count the level.

        Raises:
            TooManyStates: if there are more than the limit.
        """
        self.levels.append(self.size)
        if self.limit is not None and sum(self.levels) > self.limit:
            raise TooManyStates

    def expand(self) -> NextLevel:
        """Run every instance in every state of the level.

        Raises:
            ModelError: if one raises.
        """
        level = self.level
        self._judge_constraints(level)
        found = NextLevel(self.learner.tables, level, self.size, self._buffers)
        expansion = self.expander.expand(
            level,
            self.steps,
            self.property_instances,
            self._report_progress,
            (found, self.visited),
            find_stuck=True,
        )
        self._check_failures(level, expansion)
        self._note(expansion)
        self.generated += int(expansion.generated.sum())
        return found

    def advance(self, expanded: NextLevel) -> None:
        """Make what was found the level at work."""
        following, _, _ = expanded.finish(self.expander.threads.map)
        expanded.release()
        self._buffers.give(*self.level.arrays)
        self.level = following

    def _first(self) -> Level:
        rows = sorted({self.learner.row(state) for state in self.learner.starts})
        fingerprints = self.learner.fingerprints(np.array(rows))
        fields = fields_of(self.learner.dictionaries)
        bits = self.learner.tables.bits_of_all
        level = first_level(rows, fingerprints, bits, fields)
        self.visited.load(
            level.fingerprints, np.empty((len(fingerprints), 0), np.uint64)
        )
        return level

    def _instances(self, *roles: Role) -> U64Array:
        """The bit set of the instances of some roles."""
        found = np.zeros(self.learner.tables.width, np.uint64)
        for number, function in enumerate(self.learner.functions):
            if function.role in roles:
                found[number >> 6] |= np.uint64(1 << (number & 63))
        return found

    def _judge_constraints(self, level: Level) -> None:
        level.constrained[:] = 0
        if self.constraints.any():
            expansion = self.expander.expand(
                level, self.constraints, self.constraints, self._report_progress
            )
            self._check_failures(level, expansion)
            self.constrained += int(level.constrained.sum())

    def _check_failures(self, level: Level, expansion: Expansion) -> None:
        notes = expansion.notes[FAILURE]
        number = int(np.argmin(notes))
        if notes[number] == NOTHING_NOTED:
            return
        place = int(np.searchsorted(level.fingerprints, notes[number]))
        state = self.learner.state(RowView(level.rows)[place].tolist())
        label = self.learner.functions[number].instance.label
        raise ModelError(f"`{label}` raises an exception in the state {state}")

    def _note(self, expansion: Expansion) -> None:
        for number, function in enumerate(self.learner.functions):
            noted = expansion.notes[NOTE, number] != NOTHING_NOTED
            if function.property is not None and noted:
                self.violated.add(function.property.name)
        for number, claim in enumerate(self.learner.step_properties):
            if (expansion.notes[BROKEN_STEP + number] != NOTHING_NOTED).any():
                self.violated.add(claim.name)
        if expansion.stuck is not None:
            self.violated |= {
                claim.name for claim in self.properties if claim.kind is Kind.DEADLOCK
            }

    def _report_progress(self, done: int) -> None:
        self.watch(
            Progress(
                depth=len(self.levels),
                states=sum(self.levels),
                generated=self.generated,
                frontier=self.levels[-1] - done,
                seconds=monotonic() - self.started,
                memory=process_memory.resident_bytes(),
                levels=tuple(self.levels),
            )
        )
