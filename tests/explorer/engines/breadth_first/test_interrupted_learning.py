"""Ctrl-C ends a search amid a level, also while functions run and values are asked."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import System, slowly, systems
from replicheck.explorer.engine import CheckpointSettings, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.report import Verdict
from replicheck.explorer.tables import evaluator
from replicheck.model.replication.protocols import KIP_320, replication_model
from searches.replication_searches import ONE_RECORD, PROPERTIES


def interrupted_at(glance: int) -> Search:
    """A search that a user ends at the n-th glance at its progress."""
    glances = count(1)

    def watch(progress: Progress) -> None:
        if next(glances) == glance:
            raise KeyboardInterrupt

    return Search(watch=watch)


def look_often(patched: pytest.MonkeyPatch) -> None:
    """Report progress before each run of a function, and each answer of a value."""
    patched.setattr(chunk_walker, "RUNS_AT_ONCE", 1)
    patched.setattr(evaluator, "ASKED_AT_ONCE", 1)


def test_progress_is_reported_while_functions_are_learned() -> None:
    """Each level has one round here; the watch sees more of it than its beginning."""
    model = replication_model(KIP_320, ONE_RECORD)
    glances: list[Progress] = []
    with pytest.MonkeyPatch.context() as patched:
        look_often(patched)
        found = BreadthFirst(threads=1).explore(
            model, PROPERTIES, Search(watch=glances.append)
        )
    assert len(glances) > 10 * found.depth
    assert all(0 <= glance.frontier <= max(found.levels) for glance in glances)


@slowly
@given(systems(), st.integers(1, 400))
def test_a_search_that_is_interrupted_amid_learning_goes_on(
    system: System, glance: int
) -> None:
    """What was asked in vain is asked again: the report is that of a whole search."""
    whole = BreadthFirst(threads=1).explore(system.model, system.properties)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        look_often(patched)
        engine = BreadthFirst(threads=1, keep=CheckpointSettings(Path(folder), 0))
        found = engine.explore(system.model, system.properties, interrupted_at(glance))
        if found.cut is None:
            assert found == whole
            return
        assert (found.cut, found.verdict) == ("interrupted", Verdict.INCOMPLETE)
        again = engine.resume(system.model, system.properties, Search())
    assert again == whole
