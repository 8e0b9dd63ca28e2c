"""Rows whose states are at rest, without regard to what was observed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from observed_readings import Rows, alike
from observed_runs import MADE, PLACES
from replicheck.explorer.engines.trace_validation.rest import Rest
from replicheck.explorer.learning.learner import Learner


def rows_at_rest(
    learner: Learner, plain: Callable[[Any], Any], rest: Rest, rows: Rows
) -> npt.NDArray[np.bool_]:
    """Mark rows at rest; ``plain`` makes a state of the model of one that is observed.

    Rows that differ only in what was observed are asked for once.
    """
    if not len(rows):
        return np.ones(len(rows), np.bool_)
    columns = [
        column
        for column, cell in enumerate(learner.layout.cells)
        if cell.field not in (PLACES, MADE)
    ]
    first, kinds = alike(rows[:, columns])
    states = (plain(learner.state(row)) for row in rows[first].tolist())
    answers = [rest.is_at(rest.table.numbered(state)) for state in states]
    return np.array(answers, np.bool_)[kinds]
