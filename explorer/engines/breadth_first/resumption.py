"""Resumption: a checkpoint is of the model at hand if runs lead where they led."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicheck.explorer.engines.breadth_first.storage import Storage
from replicheck.explorer.errors import CheckpointError, run_leads_elsewhere
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.packed_rows import RowView

REPLAYED = 50
"""States of a checkpoint to which the run is taken again."""


def require_same_states(learner: Learner, storage: Storage, level: int) -> None:
    """Take the runs to some states of the level at work again.

    Raises:
        CheckpointError: if one does not lead there.
    """
    assert storage.checkpointer is not None, "the search was resumed"
    rows, fingerprints = RowView(storage.level.rows), storage.level.fingerprints
    count = len(fingerprints)
    for place in range(0, count, max(1, count // REPLAYED)):
        row: Any
        try:
            trace = storage.path.trace(learner, level, place)
            row = learner.row(trace.states[-1])
        except LookupError:
            row = None
        wanted = {int(fingerprints[place])}
        if row is None or _fingerprints(learner, row, rows[place]) != wanted:
            raise CheckpointError(
                f"the checkpoint in {storage.checkpointer.keep.folder} is of another"
                f" model: {run_leads_elsewhere(place, level)}"
            )


def _fingerprints(learner: Learner, *rows: Any) -> set[int]:
    return {int(fingerprint) for fingerprint in learner.fingerprints(np.array(rows))}
