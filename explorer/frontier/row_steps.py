"""Row steps: the steps of states by the tables, in the order that a search likes.

The kernels walk the trees; what the tables lack is learned. No state is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from replicheck.explorer.frontier.chunk_walker import ChunkWalker
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.native.kernels.arrays import (
    FAILURE,
    NOTHING_NOTED,
    Level,
    U64Array,
)
from replicheck.explorer.native.packed_rows import fields_of, pack_rows
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.tables.leaves import LeafStep, row_after, step_at

Row = tuple[int, ...]
"""The numbers of a state's cells, as a `Learner` knows them."""


@frozen
class RowStep:
    """A step: its action and the row that it leads to."""

    action: Instance
    after: Row


class RowSteps:
    """The steps of a model's states. Constraints are not heeded."""

    def __init__(self, model: Model[Any]) -> None:
        self.learner = Learner(model, ())
        self._walker = ChunkWalker(self.learner, ThreadPool(1), masked=False)
        self._leaf_steps: dict[int, LeafStep] = {}

    def of(self, rows: Sequence[Row]) -> list[list[RowStep]]:
        """The steps of each state, in the order of exploration.

        A step that changes nothing is none.

        Raises:
            Exception: what an action raises in one of the states.
            ModelError: if an action is not a function of the state.
        """
        found: list[list[tuple[int, int, Row]]] = [[] for _ in rows]
        for source, step in self._candidates(rows):
            after = row_after(self.learner.evaluator, rows[source], step)
            if after != rows[source]:
                found[source].append((*self.learner.steps[step.number], after))
        functions = self.learner.functions
        return [
            [
                RowStep(functions[number].instance, after)
                for number, _, after in sorted(steps)
            ]
            for steps in found
        ]

    def _candidates(self, rows: Sequence[Row]) -> Iterator[tuple[int, LeafStep]]:
        """Yield the steps, each with the place of the row that it leads from."""
        level, at = self._level(rows), 0
        while at < len(rows):
            chunks = self._walker.begin(at, len(rows))
            self._walker.walk(level, self._actions, self._actions, chunks)
            leaves = self.learner.tables.trees.leaves.array
            for chunk in chunks:
                arrays, count = chunk.arrays, chunk.candidates
                self._raise_if_noted(arrays.notes[FAILURE], rows)
                sources, places = arrays.sources[:count], arrays.indices[:count]
                for source, place in zip(
                    sources.tolist(), places.tolist(), strict=True
                ):
                    if place not in self._leaf_steps:
                        self._leaf_steps[place] = step_at(leaves, place)
                    yield source, self._leaf_steps[place]
            at = chunks[-1].high

    def _raise_if_noted(self, failures: U64Array, rows: Sequence[Row]) -> None:
        """Raise what an action raises in one of the rows, if one does."""
        for number in np.flatnonzero(failures != NOTHING_NOTED).tolist():
            action = self.learner.functions[number].instance
            for row in rows:
                list(action(self.learner.state(row)))

    def _level(self, rows: Sequence[Row]) -> Level:
        """Rows as a level; no step depends on fingerprints: numbers stand for them."""
        array = pack_rows(np.array(rows), fields_of(self.learner.dictionaries))
        numbers = np.arange(1, len(rows) + 1, dtype=np.uint64)
        return fresh_level(array, numbers, self.learner.tables.bits_of_all)

    @cached_property
    def _actions(self) -> U64Array:
        """The bit set of the functions that are actions."""
        bits = np.zeros(64 * self.learner.tables.width, np.uint8)
        roles = [function.role for function in self.learner.functions]
        bits[: len(roles)] = [role is Role.ACTION for role in roles]
        return np.packbits(bits, bitorder="little").view(np.uint64)
