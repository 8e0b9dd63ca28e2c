"""A search in tasks splits sets, too, and its processes agree on the elements."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LOOP_SYSTEMS, LoopSystem
from random_sets.message_processes import MAIL_SYSTEMS, MailSystem
from random_sets.message_systems import MESSAGE_SYSTEMS, MessageSystem
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    NEVER,
    Columns,
    iterating,
    put,
    puts,
    split_whatever_reads,
)
from replicheck.explorer.engine import Limits, Progress, Search, Stop
from replicheck.explorer.engines.breadth_first import first_encoding
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.exchange.element_numbering import (
    ElementNumbering,
    agreed,
    begins_with,
)
from replicheck.explorer.engines.reduced.partitioned_engine import ReducedPartitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.report import Report
from replicheck.explorer.states.encoding import CellEncoding, EncodedOtherwise, Encoding
from replicheck.explorer.states.set_elements import Elements
from searches.resumed_searches import MOMENTS, Moment, ended_and_resumed
from searches.unreliable_cluster import small_tasks, unreliable
from set_loops.parted_actions import take_any
from toys import Toy

LEFT = Encoding({"left": CellEncoding(16)})
SYSTEMS = MESSAGE_SYSTEMS | LOOP_SYSTEMS | EACH_SYSTEMS | MAIL_SYSTEMS
Domains = dict[object, tuple[object, ...]]
System = MessageSystem | LoopSystem | MailSystem
ENGINES = st.builds(
    Partitioned,
    buckets=st.just(4),
    cluster=st.sampled_from([in_process(2), unreliable]),
    small=st.sampled_from([0, 0, 20]),
    crowded=st.sampled_from([1, 2, 4, 20]),
)


def split_of(report: Report[Any]) -> dict[str, int]:
    """Which sets were split, and how many elements they had."""
    assert report.statistics.partitioned is not None
    return dict(report.statistics.partitioned.split)


def explored(model: Toy, **options: Any) -> Report[Any]:
    """The report of two processes, which is that of the obvious search."""
    engine = Partitioned(4, in_process(2), small=0, **{"crowded": 20, **options})
    found = engine.explore(model, ())
    assert found == Naive().explore(model, ())
    return found


def test_processes_learn_what_they_ask_of_single_items() -> None:
    """Not for each value that the set has."""
    found = explored(puts())
    assert split_of(found) == {"left": len(ITEMS)}
    assert found.statistics.partitioned is not None
    assert found.statistics.partitioned.leaves < 100


def test_processes_learn_for_each_item_what_an_action_does_with_it() -> None:
    """They know the same parts of the set."""
    found = explored(Toy((put, take_any), (Sets(),), domains={Item: ITEMS}))
    assert found.statistics.partitioned is not None
    assert found.statistics.partitioned.leaves < 100


def test_sets_are_values_where_states_are_kept(tmp_path: Any) -> None:
    """Their columns are those of the model."""
    pytest.importorskip("pyarrow", reason="needs pip install 'replicheck[parquet]'")
    assert split_of(explored(puts(), states=str(tmp_path / "reachable"))) == {}


def test_a_set_that_comes_to_have_too_many_elements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search begins anew with more columns."""
    monkeypatch.setattr(first_encoding, "FIRST_STATES", 200)
    with split_whatever_reads(Columns(-3, False)):
        assert split_of(explored(puts())) == {"left": len(ITEMS)}


def noting(asked: set[int]) -> Toy:
    """The model, which notes how many items are there where its action is asked."""

    def put_and_note(state: Sets, item: Item) -> Iterator[Sets]:
        asked.add(len(state.left))
        yield from put(state, item)

    return Toy((put_and_note,), (Sets(),), domains={Item: ITEMS})


@pytest.mark.parametrize(
    "engine",
    [Partitioned(), ReducedPartitioned(Partitioned())],
    ids=["partitioned", "reduced"],
)
def test_who_ends_the_search_of_the_first_states_ends_the_whole_search(
    engine: Partitioned | ReducedPartitioned,
) -> None:
    """The report says that it was interrupted, though the watch was asked once."""
    watched: list[Progress] = []
    asked: set[int] = set()

    def interrupt(progress: Progress) -> None:
        watched.append(progress)
        if len(watched) == 1:
            raise KeyboardInterrupt

    report = engine.explore(noting(asked), (), Search(watch=interrupt))
    assert report.cut == "interrupted"
    assert asked <= {0}


@pytest.mark.parametrize(
    ("limits", "cut"),
    [
        (Limits(depth=3), "depth"),
        (Limits(states=50), "states"),
        (Limits(seconds=0.0), "seconds"),
    ],
)
def test_limits_hold_of_the_search_of_the_first_states(
    limits: Limits, cut: str
) -> None:
    """What is beyond them is not asked what happens in it."""
    asked: set[int] = set()
    report = Partitioned().explore(noting(asked), (), Search(limits))
    assert report.cut == cut
    assert max(asked, default=0) < len(report.levels) <= 3


def test_processes_may_iterate_a_set_in_different_orders() -> None:
    """What a loop reads first depends on which item came first to the set."""
    with small_tasks():
        explored(iterating(), crowded=NEVER)


def test_an_element_that_a_function_makes_before_it_reads_anything() -> None:
    """It is known before any state has it, and gets a place as others do."""

    def put_last(state: Sets) -> Iterator[Sets]:
        after = state.evolve(left=state.left | {ITEMS[-1]})
        if not state.right:
            yield after

    def go_on(state: Sets, item: Item) -> Iterator[Sets]:
        if ITEMS[-1] in state.left:
            yield from put(state, item)

    few: Domains = {Item: ITEMS[:5]}
    model = Toy((put_last, go_on), (Sets(),), domains=few)
    with small_tasks(), split_whatever_reads(Columns(5, False)):
        assert split_of(explored(model, crowded=4))["left"] == 6


def test_columns_are_told_to_other_processes() -> None:
    """A process that has too few says so as an error is said."""
    sent = pickle.loads(pickle.dumps(EncodedOtherwise(LEFT)))
    assert sent.encoding == LEFT


def numbering_of(*items: int) -> tuple[Elements, ElementNumbering]:
    """A set in which a process found some items, none of which is agreed on."""
    learner = Learner(puts(), (), encoding=LEFT)
    assert learner.split is not None
    (elements,) = learner.split.sets.values()
    numbering = ElementNumbering([elements])
    for item in items:
        elements.add(Item(item))
    return elements, numbering


def test_the_elements_of_initial_states_have_the_same_places_everywhere() -> None:
    """Whichever of them came first to the set."""
    starts = [Sets(frozenset(map(Item, items))) for items in ((0, 8, 5), (5, 8, 0))]
    assert [*starts[0].left] != [*starts[1].left]
    known = []
    for start in starts:
        learner = Learner(
            Toy((put,), (start,), domains={Item: ITEMS}),
            (),
            encoding=LEFT,
        )
        assert learner.split is not None
        known += [elements.known for elements in learner.split.sets.values()]
    assert known[0] == known[1]


@pytest.mark.parametrize(
    ("found", "agreed_on", "known", "unnumbered", "dropped"),
    [
        ((), (3, 4), (3, 4), (), ()),
        ((3, 4), (3, 4), (3, 4), (), ()),
        ((3, 4), (3,), (3,), (), (1,)),
        ((4, 3), (3, 4), (3, 4), (), (0, 1)),
        ((3, 5, 6), (3, 4, 5), (3, 4, 5), (), (1, 2)),
    ],
)
def test_elements_that_had_other_places_are_forgotten(
    found: Sequence[int],
    agreed_on: Sequence[int],
    known: Sequence[int],
    unnumbered: Sequence[int],
    dropped: Sequence[int],
) -> None:
    """Those with the agreed places keep them."""
    elements, numbering = numbering_of(*found)
    assert numbering.unnumbered == (found,)
    columns = numbering.add((tuple(map(Item, agreed_on)),))
    assert columns == {elements.columns[place] for place in dropped}
    assert tuple(elements.known) == known
    assert numbering.unnumbered == (unnumbered,)
    assert [elements.add(item) for item in elements.known] == [*range(len(known))]


def test_all_elements_get_a_place_and_most_tasks_need_not_be_done_again() -> None:
    """The order is that of the report with most elements."""
    reports: list[Any] = [((1,), ()), ((2, 1), (7, 8)), ((2, 3), ()), ((), ())]
    whole = agreed(reports)
    assert whole == ((2, 1, 3), (7, 8))
    assert [begins_with(whole, report) for report in reports] == [
        *(False, True),
        *(False, True),
    ]


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(SYSTEMS, ENGINES, COLUMNS, st.sampled_from(Stop), st.booleans())
def test_processes_that_split_sets_find_what_the_naive_engine_finds(
    system: System, engine: Partitioned, columns: Columns, stop: Stop, forced: bool
) -> None:
    """Whichever of them finds an element first, and where tasks are done twice."""
    model, properties = system.checked
    search = Search(Limits(states=400), stop)
    expected = Naive().explore(model, properties, search)
    with (
        small_tasks(),
        split_whatever_reads(columns) if forced else nullcontext(),
    ):
        assert engine.explore(model, properties, search) == expected


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(MAIL_SYSTEMS, st.sampled_from([1, 4, 20]), COLUMNS)
def test_processes_agree_on_messages_that_were_sent(
    system: MailSystem, crowded: int, columns: Columns
) -> None:
    """Many of which two processes find on one level."""
    model, properties = system.checked
    search = Search(Limits(states=400), Stop.EXHAUSTED)
    engine = Partitioned(4, unreliable, small=0, crowded=crowded)
    with small_tasks(), split_whatever_reads(columns):
        found = engine.explore(model, properties, search)
    assert found == Naive().explore(model, properties, search)


@settings(slowly, max_examples=slowly.max_examples // 4)
@given(SYSTEMS, ENGINES, COLUMNS, MOMENTS)
def test_a_search_in_tasks_goes_on_with_split_sets(
    system: System, engine: Partitioned, columns: Columns, moments: list[Moment]
) -> None:
    """Its report is that of one search."""
    model, properties = system.checked
    search = Search(Limits(states=400), Stop.EXHAUSTED)
    memory = [None] * (len(moments) + 1)
    with small_tasks(), split_whatever_reads(columns):
        ended = ended_and_resumed(engine, model, properties, search, moments, memory)
    assert ended == Naive().explore(model, properties, search)
