"""A search that leaves out steps splits sets, and finds what the naive one finds."""

from __future__ import annotations

from contextlib import nullcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LOOP_SYSTEMS, LoopSystem
from random_sets.message_processes import MAIL_SYSTEMS, MailSystem
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    Columns,
    puts,
    split_of,
    split_whatever_reads,
)
from reduced.comparison import require_agreement
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.properties import no_deadlock
from set_loops.parted_actions import take_any
from toys import Toy

CROWDS = st.sampled_from([1, 2, 4, 20])
BEYOND = st.sampled_from([0, 4, 32])


def test_messages_are_sent_in_one_order() -> None:
    """Of the 1,024 states in which ten items come to a set, one run is visited."""
    found = ReducedBreadthFirst(crowded=4).explore(puts(), [no_deadlock()])
    assert found.states == 11
    assert split_of(found) == {"left": 10}


def test_items_are_taken_in_one_order() -> None:
    """An action that takes any item is one for each, and these are independent."""
    model = Toy((take_any,), (Sets(frozenset(ITEMS)),), domains={Item: ITEMS})
    found = ReducedBreadthFirst(crowded=4).explore(model, ())
    assert found.states == 11
    assert found.actions["take_any"].enabled == 10


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(
    MAIL_SYSTEMS | MAIL_SYSTEMS | LOOP_SYSTEMS | EACH_SYSTEMS,
    CROWDS,
    BEYOND,
    COLUMNS,
    st.booleans(),
)
def test_a_reduced_search_agrees_with_the_naive_engine(
    system: MailSystem | LoopSystem,
    crowded: int,
    beyond: int,
    columns: Columns,
    forced: bool,
) -> None:
    """On processes that send messages, and on loops, whatever their texts do."""
    engine = ReducedBreadthFirst(1, reduce_beyond=beyond, crowded=crowded)
    with split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(engine, *system.checked)
