"""What else a search does is the same whether actions are learned item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_items.action_texts import ACTIONS, MarkedBoard, board, keeps_marks
from random_items.item_parts import SIZES, item_by_item
from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LoopSystem
from random_sets.splits import COLUMNS, Columns, split_whatever_reads
from reduced.comparison import require_agreement
from reduced.reduced_engines import in_one_process, in_tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first import first_encoding
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.liveness.engine import LivenessEngine
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning.parts.item_parts import Sizes
from replicheck.explorer.properties import (
    Property,
    always,
    eventually_always,
    every_step,
    leads_to,
    no_deadlock,
)
from replicheck.explorer.report import Report
from searches.resumed_searches import MOMENTS, Moment, ended_and_resumed
from searches.unreliable_cluster import small_tasks

few = settings(slowly, max_examples=slowly.max_examples // 4)
SMALL = Search(Limits(states=2_000), Stop.EXHAUSTED)
TEXTS = st.lists(ACTIONS, min_size=1, max_size=2)


def is_calm(s: MarkedBoard) -> bool:
    """Not all numbers are high."""
    return min(s.values) < 2


def is_seen(s: MarkedBoard) -> bool:
    """The number 2 was seen."""
    return 2 in s.seen


CLAIMS = [always(is_calm), every_step(keeps_marks), no_deadlock()]


@few
@given(TEXTS, SIZES, st.sampled_from([0, 4, 32]))
def test_a_reduced_search(texts: Sequence[str], sizes: Sizes, beyond: int) -> None:
    """Each part is an instance of its own, and some orders are left out."""
    with item_by_item(sizes):
        require_agreement(in_one_process(beyond), board(*texts), CLAIMS)


@few
@given(TEXTS, SIZES, MOMENTS)
def test_a_search_that_goes_on(
    texts: Sequence[str], sizes: Sizes, moments: Sequence[Moment]
) -> None:
    """Its report is that of one uninterrupted search."""
    search, engine = Search(stop=Stop.EXHAUSTED), BreadthFirst(threads=1)
    with item_by_item(sizes):
        whole = engine.explore(board(*texts), CLAIMS, search)
        limits = [None] * (len(moments) + 1)
        resumed = ended_and_resumed(
            engine, board(*texts), CLAIMS, search, moments, limits
        )
    assert resumed == whole
    assert resumed.others == whole.others


@few
@given(TEXTS, SIZES, st.sampled_from([1, 1 << 16]))
def test_a_search_in_tasks(texts: Sequence[str], sizes: Sizes, first: int) -> None:
    """All processes learn the same parts, as a search of the first states has found."""
    expected = Naive().explore(board(*texts), CLAIMS, SMALL)
    engine = Partitioned(buckets=4, cluster=in_process(2), small=0)
    with item_by_item(sizes), patch.object(first_encoding, "FIRST_STATES", first):
        found = engine.explore(board(*texts), CLAIMS, SMALL)
    assert found == expected
    assert found.failure == expected.failure


@few
@given(TEXTS, SIZES, st.sampled_from([0, 32]))
def test_a_reduced_search_in_tasks(
    texts: Sequence[str], sizes: Sizes, beyond: int
) -> None:
    """It agrees with the naive engine."""
    with item_by_item(sizes), small_tasks():
        require_agreement(in_tasks(beyond), board(*texts), CLAIMS)


def judged(texts: Sequence[str]) -> Report[Any]:
    """The report on claims about runs for ever."""
    claims: list[Property] = [leads_to(is_seen, is_calm), eventually_always(is_calm)]
    return LivenessEngine(BreadthFirst(threads=1)).explore(board(*texts), claims, SMALL)


@few
@given(TEXTS, SIZES)
def test_runs_for_ever(texts: Sequence[str], sizes: Sizes) -> None:
    """A step of a part is one of its action."""
    whole = judged(texts)
    with item_by_item(sizes):
        assert judged(texts) == whole


@few
@given(EACH_SYSTEMS, SIZES, COLUMNS, st.sampled_from([1, 64]))
def test_actions_that_go_over_sets_and_over_items(
    system: LoopSystem, sizes: Sizes, columns: Columns, sample: int
) -> None:
    """Some parts see items, and some see elements of the sets."""
    model, claims = system.checked
    few_states = Search(Limits(states=400), Stop.EXHAUSTED)
    expected = Naive().explore(model, claims, few_states)
    engine = BreadthFirst(threads=1, sample=sample, crowded=2)
    with split_whatever_reads(columns), item_by_item(sizes):
        found = engine.explore(model, claims, few_states)
    assert found == expected
    assert found.failure == expected.failure
    if found.failure is None:
        assert found.actions == expected.actions


@few
@given(EACH_SYSTEMS, SIZES, COLUMNS)
def test_reduced_searches_that_go_over_both(
    system: LoopSystem, sizes: Sizes, columns: Columns
) -> None:
    """Each part is an instance of its own."""
    with split_whatever_reads(columns), item_by_item(sizes):
        require_agreement(in_one_process(0, 2), *system.checked)


def test_an_action_that_goes_over_both_may_call_itself() -> None:
    """There it sees all, also where the same text was loaded before."""
    texts = (
        "for a in PLACES:\n"
        "    if s.values[a] == 2: yield s.evolve(values={a: 0})\n"
        "for b in sorted(s.seen):\n"
        "    yield s.evolve(seen=s.seen - {b})\n"
        "    if s.values[0] == 1: yield from act_0(s.evolve(values={0: 2}))\n",
        "yield s.evolve(seen=s.seen | {s.values[0]})",
    )
    expected = Naive().explore(board(*texts), ())
    for sizes in (1, 1), (3, 1), (3, 1):
        with split_whatever_reads(Columns(5, False)), item_by_item(sizes):
            found = BreadthFirst(threads=1, crowded=2).explore(board(*texts), ())
        assert found == expected
        assert found.statistics.breadth_first is not None
        assert found.statistics.breadth_first.split == {"seen": 3}


@pytest.mark.parametrize(
    "text",
    [
        "yield s.evolve(values={0: 2})\n"
        "for a in PLACES: yield s.evolve(values={a: (s.values[a] + 1) % 3})\n"
        "for b in sorted(s.seen): yield s.evolve(seen=s.seen - {b})\n"
        "yield s.evolve(values={1: 2})",
        "n = []\n"
        "for b in sorted(s.seen):\n"
        "    n.append(b)\n"
        "    if len(n) < 3: yield s.evolve(seen=s.seen - {b})\n"
        "for a in PLACES: yield s.evolve(values={a: (s.values[a] + 1) % 3})",
        "n = []\n"
        "for a in PLACES:\n"
        "    n.append(a)\n"
        "    if len(n) < 3: yield s.evolve(values={a: (s.values[a] + 1) % 3})\n"
        "for b in sorted(s.seen):\n"
        "    if b < len(n): yield s.evolve(seen=s.seen - {b})\n"
        "for a in PLACES: yield s.evolve(values={a: s.values[0]})\n"
        "for b in sorted(s.seen): yield s.evolve(seen=frozenset({b}))",
        "for a in PLACES:\n"
        "    for b in sorted(s.seen):\n"
        "        if s.values[a] == b: yield s.evolve(seen=s.seen - {b})\n"
        "for a in PLACES:\n"
        "    yield s.evolve(values={a: (s.values[a] + 1) % 3})\n"
        "for b in sorted(s.seen):\n"
        "    for a in PLACES:\n"
        "        if s.values[a] != b: yield s.evolve(values={a: b})",
    ],
)
@pytest.mark.parametrize("sizes", [(1, 1), (3, 1), (2, 2)])
def test_each_step_comes_of_one_part(text: str, sizes: Sizes) -> None:
    """Of one that sees items, or of one that sees elements."""
    texts = (text, "yield s.evolve(seen=s.seen | {s.values[0]})")
    expected = Naive().explore(board(*texts), ())
    with split_whatever_reads(Columns(5, False)), item_by_item(sizes):
        found = BreadthFirst(threads=1, crowded=2).explore(board(*texts), ())
    assert found == expected
    assert found.actions == expected.actions
    assert found.statistics.breadth_first is not None
    assert found.statistics.breadth_first.split == {"seen": 3}
