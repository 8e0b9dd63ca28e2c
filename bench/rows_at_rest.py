"""Rows whose states are at rest, without regard to what was observed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from observed_readings import Rows, alike
from observed_runs import MADE, PLACES
from replicheck.explorer.engines.trace_validation.rest import Rest
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from steps_at_once import without_places


@frozen
class RowsAtRest:
    """Tells which rows of observed runs are at rest; all of them, without a ``rest``.

    Args:
        learner: of the observed runs, whose rows are asked for.
        model: what they are runs of.
    """

    learner: Learner
    model: Model[Any]
    rest: Rest | None

    def among(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Mark the rows at rest; those that are alike but for places are asked once."""
        if self.rest is None or not len(rows):
            return np.ones(len(rows), np.bool_)
        columns = [
            column
            for column, cell in enumerate(self.learner.layout.cells)
            if cell.field not in (PLACES, MADE)
        ]
        first, kinds = alike(rows[:, columns])
        like = next(iter(self.model.initial_states()))
        answers = []
        for row in rows[first].tolist():
            state = without_places(self.learner.state(row), like)
            answers.append(self.rest.is_at(self.rest.table.numbered(state)))
        return np.array(answers, np.bool_)[kinds]
