"""A search that leaves out steps splits sets, and finds what the naive one finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

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
    put,
    puts,
    split_whatever_reads,
)
from reduced.comparison import require_agreement
from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reduced.partitioned_engine import ReducedPartitioned
from replicheck.explorer.properties import no_deadlock
from searches.unreliable_cluster import small_tasks, unreliable
from set_loops.parted_actions import take_any
from toys import Toy

CROWDS = st.sampled_from([1, 2, 4, 20])
BEYOND = st.sampled_from([0, 4, 32])


def in_one_process(crowded: int, reduce_beyond: int = 0) -> Engine:
    """The engine in one process."""
    return ReducedBreadthFirst(1, reduce_beyond=reduce_beyond, crowded=crowded)


def in_tasks(crowded: int, reduce_beyond: int = 0) -> Engine:
    """The engine with a cluster of three processes, which repeat tasks."""
    engine = Partitioned(buckets=4, cluster=unreliable, small=0, crowded=crowded)
    return ReducedPartitioned(engine, reduce_beyond, threads=1)


ENGINES = pytest.mark.parametrize("make", [in_one_process, in_tasks])


@ENGINES
def test_messages_are_sent_in_one_order(make: Callable[[int], Engine]) -> None:
    """Of the 1,024 states in which ten items come to a set, one run is visited."""
    with small_tasks():
        found = make(4).explore(puts(), [no_deadlock()], EVERYTHING)
    assert found.states == 11
    split = found.statistics.breadth_first or found.statistics.partitioned
    assert split is not None
    assert dict(split.split) == {"left": 10}


@ENGINES
def test_items_are_taken_in_one_order(make: Callable[[int], Engine]) -> None:
    """An action that takes any item is one for each, and these are independent."""
    model = Toy((take_any,), (Sets(frozenset(ITEMS)),), domains={Item: ITEMS})
    with small_tasks():
        found = make(4).explore(model, (), EVERYTHING)
    assert found.states == 11
    assert found.actions["take_any"].enabled == 10


def test_what_a_pass_learned_of_elements_is_known_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the last pass no process learns anything, and none has to try twice."""
    learned: list[int] = []
    met: list[int] = []
    expand = Worker.expand

    def counted(worker: Worker, task: Any) -> Any:
        done = expand(worker, task)
        learned.append(len(done.update.paths))
        met.append(sum(map(len, done.update.elements)))
        return done

    monkeypatch.setattr(Worker, "expand", counted)
    with small_tasks():
        in_tasks(4).explore(puts(), [no_deadlock()], EVERYTHING)
    assert any(met)
    assert not any(learned[-11:])
    assert not any(met[-11:])


def test_processes_may_iterate_a_set_in_different_orders() -> None:
    """Each pass would learn again what one of them reads first, so there is none."""
    assert [*frozenset([0, 8])] != [*frozenset([8, 0])]

    def use(state: Sets, item: Item) -> Iterator[Sets]:
        for known in state.left:
            others = state.family[known // 8]
            if item not in others:
                yield state.evolve(family={known // 8: others | {item}})

    domains: dict[object, tuple[object, ...]] = {Item: (Item(0), Item(8))}
    model = Toy((put, use), (Sets(),), domains=domains)
    with small_tasks():
        found = require_agreement(in_tasks(NEVER), model, ())
    assert found is not None
    assert found.statistics.left_out == 0


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
    engine = in_one_process(crowded, beyond)
    with split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(engine, *system.checked)


@settings(slowly, max_examples=slowly.max_examples // 4)
@given(
    MAIL_SYSTEMS | MAIL_SYSTEMS | LOOP_SYSTEMS | EACH_SYSTEMS,
    CROWDS,
    BEYOND,
    COLUMNS,
    st.booleans(),
)
def test_a_reduced_search_in_tasks_agrees_with_the_naive_engine(
    system: MailSystem | LoopSystem,
    crowded: int,
    beyond: int,
    columns: Columns,
    forced: bool,
) -> None:
    """Whichever process comes to an element first."""
    with small_tasks(), split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(in_tasks(crowded, beyond), *system.checked)
