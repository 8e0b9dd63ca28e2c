"""A search that leaves out steps splits sets, and finds what the naive one finds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.random_processes import EVERYTHING
from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LOOP_SYSTEMS, LoopSystem
from random_sets.message_processes import MAIL_SYSTEMS, MailSystem
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    NEVER,
    Columns,
    iterating,
    puts,
    split_whatever_reads,
)
from reduced.comparison import require_agreement
from reduced.reduced_engines import BOTH, in_tasks, updates_of_tasks
from replicheck.explorer.engine import Engine
from replicheck.explorer.properties import no_deadlock
from searches.unreliable_cluster import small_tasks
from set_loops.parted_actions import take_any
from toys import Toy

CROWDS = st.sampled_from([1, 2, 4, 20])
BEYOND = st.sampled_from([0, 4, 32])


@BOTH
def test_messages_are_sent_in_one_order(make: Callable[..., Engine]) -> None:
    """Of the 1,024 states in which ten items come to a set, one run is visited."""
    with small_tasks():
        found = make(crowded=4).explore(puts(), [no_deadlock()], EVERYTHING)
    assert found.states == 11
    split = found.statistics.breadth_first or found.statistics.partitioned
    assert split is not None
    assert dict(split.split) == {"left": 10}


@BOTH
def test_items_are_taken_in_one_order(make: Callable[..., Engine]) -> None:
    """An action that takes any item is one for each, and these are independent."""
    model = Toy((take_any,), (Sets(frozenset(ITEMS)),), domains={Item: ITEMS})
    with small_tasks():
        found = make(crowded=4).explore(model, (), EVERYTHING)
    assert found.states == 11
    assert found.actions["take_any"].enabled == 10


def test_what_a_pass_learned_of_elements_is_known_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the last pass no process learns anything, and none has to try twice."""
    updates = updates_of_tasks(monkeypatch)
    with small_tasks():
        in_tasks(crowded=4).explore(puts(), [no_deadlock()], EVERYTHING)
    assert any(any(update.elements) for update in updates)
    assert not any(update.paths or any(update.elements) for update in updates[-11:])


def test_processes_may_iterate_a_set_in_different_orders() -> None:
    """Each pass would learn again what one of them reads first, so there is none."""
    with small_tasks():
        found = require_agreement(in_tasks(crowded=NEVER), iterating(), ())
    assert found is not None
    assert found.statistics.left_out == 0


@BOTH
@settings(slowly, max_examples=slowly.max_examples // 3)
@given(
    MAIL_SYSTEMS | MAIL_SYSTEMS | LOOP_SYSTEMS | EACH_SYSTEMS,
    CROWDS,
    BEYOND,
    COLUMNS,
    st.booleans(),
)
def test_a_reduced_search_agrees_with_the_naive_engine(
    make: Callable[..., Engine],
    system: MailSystem | LoopSystem,
    crowded: int,
    beyond: int,
    columns: Columns,
    forced: bool,
) -> None:
    """On processes that send messages, and on loops, whatever their texts do."""
    with small_tasks(), split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(make(beyond, crowded), *system.checked)
