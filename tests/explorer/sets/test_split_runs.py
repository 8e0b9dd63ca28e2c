"""Claims about runs for ever are judged alike, whatever sets are split."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LOOP_SYSTEMS, LoopSystem
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    NEVER,
    Columns,
    put,
    split_whatever_reads,
)
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.liveness import graph_search
from replicheck.explorer.engines.liveness.engine import LivenessEngine
from replicheck.explorer.learning.encoding_watch import encoding_watch
from replicheck.explorer.properties import eventually_always, leads_to
from replicheck.explorer.report import Report
from set_loops.parted_actions import take_any
from toys import Toy

SMALL = Search(Limits(states=2_000), Stop.EXHAUSTED)


def judged(system: LoopSystem, crowded: int) -> Report[Any]:
    """The report on what a claim leads to, and on whether it comes to stay."""
    model, properties = system.checked
    claimed = properties[0].predicate
    assert claimed is not None

    def denied(state: Any) -> bool:
        return not claimed(state)

    claims = [leads_to(claimed, denied), eventually_always(claimed)]
    free = Toy(model.actions, tuple(model.initial_states()))
    engine = LivenessEngine(BreadthFirst(crowded=crowded))
    watch = partial(encoding_watch, crowded=crowded)
    with patch.object(graph_search, "encoding_watch", watch):
        return engine.explore(
            free, claims, Search(Limits(states=2_000), Stop.EXHAUSTED)
        )


def test_an_action_is_fair_if_any_of_its_parts_goes_on() -> None:
    """A run may take out and put in the same item for ever, and leave another one."""

    def has_last(s: Sets) -> bool:
        return ITEMS[-1] in s.left

    def has_not_last(s: Sets) -> bool:
        return ITEMS[-1] not in s.left

    model = Toy((put, take_any), (Sets(),), domains={Item: ITEMS[::-1]})
    claims = [leads_to(has_last, has_not_last)]
    reports = []
    for crowded in (NEVER, 20):
        watch = partial(encoding_watch, crowded=crowded)
        with patch.object(graph_search, "encoding_watch", watch):
            engine = LivenessEngine(BreadthFirst(crowded=crowded))
            reports.append(engine.explore(model, claims, Search()))
    whole, parted = reports
    assert parted == whole
    assert whole.violations


@settings(slowly, max_examples=slowly.max_examples // 4)
@given(LOOP_SYSTEMS | EACH_SYSTEMS, st.sampled_from([1, 2, 4]), COLUMNS, st.booleans())
def test_a_run_for_ever_is_found_whatever_is_split(
    system: LoopSystem, crowded: int, columns: Columns, forced: bool
) -> None:
    """With the same steps to its loop, and round it."""
    whole = judged(system, NEVER)
    with split_whatever_reads(columns) if forced else nullcontext():
        assert judged(system, crowded) == whole
