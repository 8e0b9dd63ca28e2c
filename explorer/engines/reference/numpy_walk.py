"""The slow cross-check of the compiled kernels: the same tables, walked with NumPy.

No masks, nothing inherited, no chunks and no threads. Where the tables say that there
is something to tell of a state, the naive engine judges that state; so the reports of
the two differ only if the tables, or the ways through them, are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import NaiveSearch
from replicheck.explorer.learning.batch_walk import Rows, walk
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.native.kernels.arrays import (
    DISABLED,
    RAISED,
    UNKNOWN,
    Indices,
    Numbers,
)
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report, Trace
from replicheck.explorer.search.parent_pointers import ParentPointers
from replicheck.explorer.tables.leaves import steps_of


@frozen
class NumpyWalk:
    """Breadth-first over learned tables, a level at a time, one thread."""

    name: str = "numpy-walk"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        return _NumpySearch(model, properties, search, self.name).run()


@frozen
class _Step:
    """One step of an action in many states: where it leads, and what it breaks."""

    sources: Indices
    rows: Rows
    number: int
    is_broken: bool


class _NumpySearch(NaiveSearch[S]):
    """One search."""

    def __init__(
        self, model: Model[S], properties: Sequence[Property], search: Search, name: str
    ) -> None:
        super().__init__(model, properties, search, name)
        self.learner = Learner(model, properties)
        self.premises = self.learner.premises
        rows = np.array([self.learner.row(state) for state in self.learner.starts])
        self.visited, firsts = self._sorted(rows)
        self.rows = rows[firsts]
        self.path = ParentPointers([tuple(row) for row in self.rows.tolist()])

    def _search_levels(self) -> None:
        while len(self.rows):
            self.levels.append(len(self.rows))
            self._report_progress(0, len(self.rows))
            self._judge(self._states(self._marked(Role.PROPERTY)))
            self._settle()
            if self._finished():
                return
            self._check_limits()
            if not self._next_level():
                return
            self._settle()
        self.exhausted = not any(self.cuts.values())

    def _next_level(self) -> bool:
        """Replace the level by the next one; tell whether the search goes on."""
        cut, counts = self._marked(Role.CONSTRAINT), self.counts
        expanded = np.setdiff1d(np.arange(len(self.rows)), cut)
        raising: list[Indices] = []
        steps = list(self._steps(expanded, raising))
        sources = np.concatenate([np.empty(0, int), *(step.sources for step in steps)])
        broken = [step.sources for step in steps if step.is_broken]
        stuck = np.setdiff1d(expanded, sources)
        telling = np.unique(np.concatenate([cut, stuck, *broken, *raising]))
        if self._expand(self._states(telling)) is None:
            return False
        self.counts = counts
        for step in steps:
            self._count(step)
        self._enter(steps, sources)
        return True

    def _count(self, step: _Step) -> None:
        instance, which = self.learner.steps[step.number]
        name = self.learner.functions[instance].instance.name
        generated, enabled = self.counts.generated, self.counts.enabled
        generated[name] = generated.get(name, 0) + len(step.sources)
        if which == 0:
            enabled[name] = enabled.get(name, 0) + len(step.sources)

    def _enter(self, steps: list[_Step], sources: Indices) -> None:
        """Make a level of the steps to new states; the least predecessor has each."""
        numbers = np.repeat(
            np.array([step.number for step in steps], int),
            [len(step.sources) for step in steps],
        )
        rows = np.concatenate([self.rows[:0], *(step.rows for step in steps)])
        order_of_steps = np.argsort(
            sorted(range(len(self.learner.steps)), key=self.learner.steps.__getitem__)
        )
        order = np.lexsort((order_of_steps[numbers], sources))
        fingerprints, firsts = self._sorted(rows[order])
        is_new = ~np.isin(fingerprints, self.visited)
        chosen = order[firsts[is_new]]
        self.visited = np.union1d(self.visited, fingerprints)
        self.rows = rows[chosen]
        self.path.add(
            sources[chosen].astype(np.uint32), numbers[chosen].astype(np.uint32)
        )

    def _sorted(self, rows: Rows) -> tuple[npt.NDArray[np.uint64], Indices]:
        """The distinct fingerprints in order, and the first place of each."""
        fingerprints = np.array(self.learner.fingerprints(rows), np.uint64)
        return np.unique(fingerprints, return_index=True)

    def _marked(self, role: Role) -> Indices:
        """The states of which a predicate has something to tell."""
        marks = np.zeros(len(self.rows), bool)
        for instance, function in enumerate(self.learner.functions):
            if function.role is role:
                marks |= self._codes(instance, np.arange(len(marks))) != DISABLED
        return np.flatnonzero(marks)

    def _steps(self, expanded: Indices, raising: list[Indices]) -> Iterator[_Step]:
        """Yield every step; append the states where an action raises to ``raising``."""
        for instance, function in enumerate(self.learner.functions):
            if function.role is not Role.ACTION:
                continue
            codes = self._codes(instance, expanded)
            for code in np.unique(codes[codes != DISABLED]).tolist():
                sources = expanded[codes == code]
                leaf = self.learner.tables.trees.leaf(code)
                if leaf[0] == RAISED:
                    raising.append(sources)
                    continue
                for step in self._of_leaf(leaf, sources):
                    raising.append(sources[(step.rows < 0).any(axis=1)])
                    yield step

    def _of_leaf(self, leaf: Numbers, sources: Indices) -> Iterator[_Step]:
        for step in steps_of(leaf):
            rows = self.rows[sources]
            for column, new in step.writes:
                rows[:, column] = (
                    new if new >= 0 else self._applied(-1 - new, rows[:, column])
                )
            yield _Step(sources, rows, step.number, step.broken != 0)

    def _applied(self, operation: int, values: Rows) -> Rows:
        """The numbers of the values after an operation, or RAISES."""
        tables = self.learner.tables
        tables.arrays()
        lookup = tables.operations[operation]
        lookup.fit()
        unknown = np.unique(values[lookup.known[values] == UNKNOWN])
        self.learner.evaluator.at(lookup.start + unknown)
        return lookup.known[values]

    def _codes(self, instance: int, indices: Indices) -> Rows:
        """The leaf codes of an instance, learning them where need be."""
        instances = np.full(len(indices), instance)
        return walk(self.learner, instances, self.rows, indices)[0]

    def _states(self, indices: Indices) -> list[S]:
        return [self.learner.state(row) for row in self.rows[indices].tolist()]

    def _trace_to(self, state: Any) -> Trace[S]:
        row = np.array(self.learner.row(state))
        place = int(np.flatnonzero((self.rows == row).all(axis=1))[0])
        return self.path.trace(self.learner, len(self.levels) - 1, place)
