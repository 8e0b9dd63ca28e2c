"""Whole reads: which functions read all of a state, so that each state is new to them.

A path that has the value of each cell that varies belongs to one state alone. It is not
walked again, and so need not be learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random

import attrs
import numpy as np

from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.proxies.calls import WHOLE
from replicheck.explorer.tables.leaves import RecordedRun

WINDOW = 64
"""So many runs decide of an instance."""
NEARLY_ALL = 0.9
"""The share of them that read all of a state."""
FEW = 256
"""Initial states that are compared."""


class WholeReads:
    """Tells which functions read every cell that varies, whole."""

    def __init__(self, learned: LearnedModel) -> None:
        self._learned = learned
        self._windows: dict[int, list[bool]] = {}

    def are_usual(self, instance: int, run: RecordedRun) -> bool | None:
        """Take note of a run of an instance; tell if most of the last ones read all.

        None as long as they are too few to tell.
        """
        window = self._windows.setdefault(instance, [])
        window.append(self._reads_all(run))
        if len(window) < WINDOW:
            return None
        del self._windows[instance]
        return sum(window) >= NEARLY_ALL * len(window)

    def _reads_all(self, run: RecordedRun) -> bool:
        asked: dict[int, set[str]] = {}
        for query, _ in run.reads:
            column, lookup = self._learned.tables.queries[query]
            (name, arguments), *_ = lookup.calls
            if not arguments:
                asked.setdefault(column, set()).add(name)
        return all(self._is_whole(column, asked) for column in self._varying_columns())

    def _is_whole(self, column: int, asked: Mapping[int, set[str]]) -> bool:
        """Tell whether questions without arguments tell one value from all others."""
        names = asked.get(column, set())
        if WHOLE[0] in names:
            return True
        kind = type(self._learned.dictionaries[column].values[0])
        if not names or not attrs.has(kind):
            return False
        return names.issuperset(of.name for of in attrs.fields(kind) if of.eq)

    def _varying_columns(self) -> set[int]:
        """The columns that are not the same in all states, as far as is known."""
        writes = (known.writes for known in self._learned.read_write_sets)
        return set().union(self._varying_at_first, *writes)

    @cached_property
    def _varying_at_first(self) -> set[int]:
        """The columns that are not the same in a few of the initial states."""
        starts = self._learned.starts
        few = Random(0).sample(starts, min(FEW, len(starts)))
        rows = np.array([self._learned.row(state) for state in few])
        return {*np.flatnonzero((rows != rows[0]).any(axis=0)).tolist()}
