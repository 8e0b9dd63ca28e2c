"""Plain functions: those that a search runs on plain states, and learns no more of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.plain.whole_reads import WholeReads
from replicheck.explorer.native.kernels.arrays import (
    MISSED,
    ChunkArrays,
    PackedRows,
)
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.tables.leaves import RecordedRun

if TYPE_CHECKING:
    from replicheck.explorer.learning.plain.plain_runs import PlainRuns, PlainState

EVERY = 8
"""One run of an instance in so many is looked at."""


class PlainFunctions:
    """Finds the functions to which each state is new, while a learner learns them.

    What was learned of them before stays, and is walked. One to which states are no
    longer new is learned again.
    """

    def __init__(self, learner: Learner) -> None:
        """Look at each run that the learner learns from."""
        self.have = np.zeros(len(learner.functions), np.bool_)
        """For each instance whether it is one of a plain function."""
        self._learner = learner
        self._whole_reads = WholeReads(learner)
        self._learned_runs = Counter[int]()
        learner.on_learned = self._note

    @cached_property
    def _runs(self) -> PlainRuns:
        return self._learner.plain_runs(self._note_repeated)

    def run(
        self, rows: PackedRows, chunk: ChunkArrays, begin_run: Callable[[], None]
    ) -> int:
        """Run them for the missed pairs of a chunk, which get their leaves' codes.

        Args:
            rows: those of the level.
            begin_run: is called before each run; may raise.

        Returns:
            how many runs that were.
        """
        missed = chunk.counters[MISSED]
        instances, leaves = chunk.missed_instances[:missed], chunk.missed_leaves
        places = np.flatnonzero(self.have[instances] & (leaves[:missed] == 0))
        states = chunk.missed_states[places]
        known: dict[int, PlainState] = {}
        for place, state, row in zip(
            places.tolist(),
            states.tolist(),
            RowView(rows)[states].tolist(),
            strict=True,
        ):
            begin_run()
            if state not in known:
                known[state] = self._runs.state(row)
            leaves[place] = self._runs.code(instances.item(place), known[state])
        for state, of in known.items():
            if self._runs.is_changed(of):
                ran = instances[places[states == state]]
                self._runs.refuse_change(of, ran.tolist())
        if len(places):
            self._learner.tables.trees.withdraw_requests()
        return len(places)

    def _note(self, instance: int, run: RecordedRun) -> None:
        """Take note of a run from which the learner learned."""
        self._learned_runs[instance] += 1
        if self._learned_runs[instance] % EVERY:
            return
        if self._whole_reads.are_usual(instance, run):
            function = self._learner.functions[instance]
            is_ordered = function.role is not Role.ACTION or not self._have_sets
            self.have[instance] = function.part is None and is_ordered

    def _note_repeated(self, instance: int, run: RecordedRun) -> None:
        """Take note of a run on a proxy by which a plain one is repeated.

        Cells that the function does not read may have got more values.
        """
        if self._whole_reads.are_usual(instance, run) is False:
            self.have[instance] = False

    @property
    def _have_sets(self) -> bool:
        """Whether a cell has sets, of whose order the order of steps may depend."""
        learner = self._learner
        return learner.split is not None or any(
            _has_set(value)
            for dictionary in dict.fromkeys(learner.dictionaries)
            for value in (dictionary.values[0], dictionary.values[-1])
        )


def _has_set(value: Any) -> bool:
    """Tell whether a value is a set, or has one, of however few items."""
    if isinstance(value, frozenset):
        return True
    if isinstance(value, tuple):
        return any(map(_has_set, value))
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return any(_has_set(getattr(value, field.name)) for field in fields)
    return False
