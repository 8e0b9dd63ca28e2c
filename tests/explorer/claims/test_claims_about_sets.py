"""Claims about the items of a set are learned item by item; reports are the same."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_claims.claim_texts import premises_of
from random_models.systems import slowly
from random_sets.loop_systems import CLAIM_SYSTEMS, LoopSystem
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    Columns,
    put,
    runs_of,
    split_of,
    split_whatever_reads,
)
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.parts.item_claims import parts_of_claim
from replicheck.explorer.properties import always, sometimes
from replicheck.explorer.proxies.loops.claimed_loops import claimed_loops
from set_loops.claims_about_items import (
    CLAIMED,
    CLAIMED_OF_ONE,
    SEEMING,
    Claim,
    broken,
    put_pair,
    shared,
    shared_by_a_generator,
)
from toys import Toy

ENGINES: st.SearchStrategy[Engine] = st.one_of(
    st.builds(
        BreadthFirst,
        threads=st.integers(1, 2),
        sample=st.sampled_from([1, 64]),
        crowded=st.sampled_from([1, 4, 20]),
    ),
    st.just(Partitioned(buckets=4, cluster=in_process(2), small=0)),
)

FORCED = st.sampled_from([True, True, True, False])
"""Whether sets are split whatever reads them, and claims have parts."""


@slowly
@given(CLAIM_SYSTEMS, ENGINES, COLUMNS, st.sampled_from(Stop), FORCED)
def test_whatever_is_claimed_of_the_items_of_sets(
    system: LoopSystem, engine: Engine, columns: Columns, stop: Stop, forced: bool
) -> None:
    """The report is that of the obvious search, runs and errors included."""
    model, properties = system.checked
    search = Search(Limits(states=400), stop)
    expected = Naive().explore(model, properties, search)
    with split_whatever_reads(columns) if forced else nullcontext():
        found = engine.explore(model, properties, search)
    assert found == expected
    assert found.failure == expected.failure
    if expected.failure is None:
        assert premises_of(found) == premises_of(expected)


MOST_RUNS = 700
"""Of a claim with a part for each of some columns, in 1,024 states."""


def explored_with(claim: Claim) -> Any:
    """The report of a search, which the obvious search agrees with."""
    model = Toy((put, put_pair), (Sets(),), domains={Item: ITEMS})
    search = Search(stop=Stop.EXHAUSTED)
    expected = Naive().explore(model, [always(claim)], search)
    found = BreadthFirst(crowded=50).explore(model, [always(claim)], search)
    assert found == expected
    assert found.failure == expected.failure
    return found


@pytest.mark.parametrize("claim", CLAIMED)
def test_a_claim_is_learned_for_each_item_by_itself(claim: Claim) -> None:
    """If it holds of a set where it holds of each item of that."""
    assert claimed_loops(cast(Any, claim).__code__)
    report = explored_with(claim)
    if not report.failure:
        assert split_of(report)["left"] == len(ITEMS)
        assert runs_of(report, claim.__name__) < MOST_RUNS


@pytest.mark.parametrize("claim", CLAIMED_OF_ONE)
def test_two_items_that_break_a_claim_together(claim: Claim) -> None:
    """A part sees one of them in one loop alone; all others go over the whole set."""
    assert len(claimed_loops(cast(Any, claim).__code__)) == 1
    with split_whatever_reads(Columns(5, False)):
        report = explored_with(claim)
    assert [found.property for found in report.violations] == [claim.__name__]


@pytest.mark.parametrize("claim", SEEMING)
def test_a_claim_of_which_the_text_does_not_say_so(claim: Claim) -> None:
    """It is not the conjunction of what it says of each, or a name leads on."""
    assert not claimed_loops(cast(Any, claim).__code__)
    explored_with(claim)


def test_a_witness_is_asked_as_a_whole() -> None:
    """It is no witness that each part of a claim holds somewhere."""

    def are_all_there(s: Sets) -> bool:
        return bool(s.left) and all(item in s.right for item in s.left)

    model = Toy((put, put_pair), (Sets(),), domains={Item: ITEMS})
    with split_whatever_reads(Columns(5, False)):
        found = BreadthFirst(crowded=4).explore(model, [sometimes(are_all_there)])
    assert found == Naive().explore(model, [sometimes(are_all_there)])


def test_each_item_is_of_one_part() -> None:
    """So one part says what is wrong with it, whatever the item is."""
    claim = LearnedFunction(Instance(broken, ()), Role.PROPERTY, always(broken))
    loops = claimed_loops(cast(Any, broken).__code__)
    for count in range(1, 30):
        parts = parts_of_claim(claim, loops, count)
        for others in (ITEMS[:6], ITEMS[7:], ()):
            state = Sets(left=frozenset({*others, Item(6)}), right=frozenset(ITEMS))
            assert sum(not part.instance(state) for part in parts) == 1


@pytest.mark.parametrize("claim", [shared, shared_by_a_generator])
def test_a_claim_with_what_can_change(claim: Claim) -> None:
    """A list shows to the next item what was there before: it is asked as a whole."""
    with split_whatever_reads(Columns(5, False)):
        report = explored_with(claim)
    assert [found.property for found in report.violations] == [claim.__name__]
