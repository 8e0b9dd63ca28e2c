"""Steps that are taken before all others, for a search level by level.

`HiddenSteps.at_once` says of which actions, and what an action must have read and
written to be one. Here the model is asked for that by itself, without what its steps
show, in one state of each kind that looks alike to the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from observed_readings import alike
from observed_runs import MADE, PLACES
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.native.kernels.arrays import CANDIDATES, Level, U64Array
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.tables.leaves import step_at

NONE = np.iinfo(np.int64).max


class StepsAtOnce:
    """Drops the steps beside those of an action that goes before all others.

    Args:
        learner: of the runs that show what was observed.
        model: what they are runs of.
    """

    def __init__(
        self, learner: Learner, model: Model[Any], hidden: HiddenSteps
    ) -> None:
        self._learner, self._hidden = learner, hidden
        self._plain = Learner(model, ())
        plain = enumerate(self._plain.functions)
        self._plain_numbers = {f.instance.label: number for number, f in plain}
        self._instances = [
            number
            for number, function in enumerate(learner.functions)
            if function.instance.name in hidden.at_once
        ]
        self._own = {
            number: _own_columns(learner, number, hidden) for number in self._instances
        }
        self._steps: dict[tuple[int, tuple[int, ...]], int] = {}
        """Of an instance, by the cells of its process, the number of its steps; 0 if
        they read or write other cells."""

    @property
    def walks_every_tree(self) -> bool:
        """No action depends on one that is disabled."""
        return False

    def begin_level(self, level: Level, wanted: U64Array) -> None:
        """Take note of nothing."""

    def select(self, level: Level, chunks: Sequence[Chunk]) -> None:
        """Drop steps of the states of which an action goes before all others."""
        for chunk in chunks:
            if self._instances and chunk.candidates:
                self._select(level, chunk)

    def _select(self, level: Level, chunk: Chunk) -> None:
        arrays, count = chunk.arrays, chunk.candidates
        places = arrays.indices[:count]
        of_step = np.array([instance for instance, _ in self._learner.steps], np.int64)
        leaves = self._learner.tables.trees.leaves.array
        instances = of_step[leaves[places]]
        sources = arrays.sources[:count].astype(np.int64)
        first = np.full(len(level.fingerprints), NONE)
        for number in self._instances:
            mine = np.flatnonzero(instances == number)
            ready = self._ready(number, level, sources[mine], places[mine])
            first[ready] = np.minimum(first[ready], number)
        kept = (first[sources] == NONE) | (first[sources] == instances)
        chosen = np.flatnonzero(kept)
        for column in (arrays.fingerprints, arrays.sources, arrays.indices):
            column[: len(chosen)] = column[chosen]
        chunk.late = min(chunk.late, int(kept[: chunk.late].sum()))
        arrays.counters[CANDIDATES] = len(chosen)

    def _ready(
        self,
        instance: int,
        level: Level,
        sources: npt.NDArray[np.int64],
        places: npt.NDArray[np.int32],
    ) -> npt.NDArray[np.int64]:
        """States in which all steps of an instance are hidden, and of its own cells."""
        hidden = sources[np.array([self._is_hidden(p) for p in places.tolist()], bool)]
        found, counts = np.unique(hidden, return_counts=True)
        if not len(found):
            return found
        rows = RowView(level.rows)[found]
        part = rows[:, self._own[instance]]
        first, kinds = alike(part)
        steps = [
            self._own_steps(instance, tuple(part[at].tolist()), rows[at])
            for at in first.tolist()
        ]
        own = np.array(steps)[kinds] == counts
        ready: npt.NDArray[np.int64] = found[own]
        return ready

    def _is_hidden(self, place: int) -> bool:
        step = step_at(self._learner.tables.trees.leaves.array, place)
        cells = self._learner.layout.cells
        return all(
            cells[column].field not in (PLACES, MADE) for column, _ in step.writes
        )

    def _own_steps(
        self, instance: int, key: tuple[int, ...], row: npt.NDArray[Any]
    ) -> int:
        """The number of steps of an instance, 0 if they are not of its own cells."""
        found = self._steps.get((instance, key))
        if found is None:
            state = self._learner.state(row.tolist())
            plain = self._plain.row(without_places(state, self._plain.starts[0]))
            label = self._learner.functions[instance].instance.label
            number = self._plain_numbers[label]
            after = self._plain.steps_from(number, plain)
            seen = self._plain.read_write_sets[number]
            own = _own_columns(self._plain, number, self._hidden)
            is_own = seen.reads | seen.writes <= set(own)
            found = len([one for one in after if one != plain]) if is_own else 0
            self._steps[instance, key] = found
        return found


def _own_columns(learner: Learner, instance: int, hidden: HiddenSteps) -> list[int]:
    """Columns of the cells that belong to the process of an instance."""
    process = learner.functions[instance].instance.values[:1]
    return [
        column
        for column, cell in enumerate(learner.layout.cells)
        if cell.field in hidden.own and cell.index[:1] == process
    ]


def without_places(state: Any, like: Any) -> Any:
    """The state of the model itself."""
    kind = type(like)
    return kind(**{f.name: getattr(state, f.name) for f in attrs.fields(kind)})
