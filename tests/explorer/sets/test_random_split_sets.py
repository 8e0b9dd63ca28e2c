"""Laws: whatever is asked of sets that are split, it makes no difference."""

from __future__ import annotations

from contextlib import nullcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.loop_systems import LOOP_SYSTEMS, LoopSystem
from random_sets.message_systems import (
    MESSAGE_SYSTEMS,
    MessageSystem,
)
from random_sets.set_systems import RULES, TRUTHS, Expression, Rule, Sets, toy
from random_sets.splits import COLUMNS, Columns, split_whatever_reads
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.properties import always
from searches.resumed_searches import MOMENTS, Moment, content, ended_and_resumed

ENGINES = st.builds(
    BreadthFirst,
    threads=st.integers(1, 2),
    sample=st.sampled_from([1, 64]),
    fingerprints=st.sampled_from(KeyPrecision),
    crowded=st.sampled_from([1, 2, 4, 20]),
)
STOPS = st.sampled_from([Stop.EXHAUSTED, *Stop])


def require_agreement(
    system: MessageSystem | LoopSystem, engine: Engine, search: Search
) -> None:
    """Expect of an engine the report of the obvious search, runs included."""
    model, properties = system.checked
    expected = Naive().explore(model, properties, search)
    assert engine.explore(model, properties, search) == expected


@slowly
@given(st.lists(RULES, min_size=1, max_size=3), TRUTHS, ENGINES, COLUMNS)
def test_whatever_python_does_with_a_set_that_is_split(
    rules: list[Rule], claim: Expression, engine: BreadthFirst, columns: Columns
) -> None:
    """The report is that of the obvious search, runs included."""

    def claimed(state: Sets) -> bool:
        return bool(claim.value(state))

    expected = Naive().explore(toy(rules), [always(claimed)])
    with split_whatever_reads(columns):
        assert engine.explore(toy(rules), [always(claimed)]) == expected


@slowly
@given(MESSAGE_SYSTEMS, ENGINES, COLUMNS, STOPS, st.booleans())
def test_whatever_is_asked_of_messages_that_were_sent(
    system: MessageSystem,
    engine: BreadthFirst,
    columns: Columns,
    stop: Stop,
    forced: bool,
) -> None:
    """Also where it rests on that no other message was ever sent."""
    with split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(system, engine, Search(Limits(states=2_000), stop))


@slowly
@given(LOOP_SYSTEMS, ENGINES, COLUMNS, STOPS, st.booleans())
def test_whatever_loops_do_with_the_items_of_sets(
    system: LoopSystem, engine: BreadthFirst, columns: Columns, stop: Stop, forced: bool
) -> None:
    """Also where it does not follow from the text with which items they do anything."""
    with split_whatever_reads(columns) if forced else nullcontext():
        require_agreement(system, engine, Search(Limits(states=400), stop))


OTHERS: list[Engine] = [
    Partitioned(buckets=4, cluster=in_process(2), small=0),
    NumpyWalk(),
]


@settings(slowly, deadline=None, max_examples=25)
@given(LOOP_SYSTEMS, st.sampled_from(OTHERS), STOPS)
def test_other_engines_take_loops_over_sets(
    system: LoopSystem, engine: Engine, stop: Stop
) -> None:
    """Those that split no set, or that tell other workers what they learn."""
    require_agreement(system, engine, Search(Limits(states=400), stop))


@settings(slowly, deadline=None, max_examples=25)
@given(
    MESSAGE_SYSTEMS | LOOP_SYSTEMS,
    ENGINES,
    COLUMNS,
    MOMENTS,
    st.lists(st.sampled_from([None, 1])),
)
def test_a_search_with_split_sets_goes_on(
    system: MessageSystem | LoopSystem,
    engine: BreadthFirst,
    columns: Columns,
    moments: list[Moment],
    memory: list[int | None],
) -> None:
    """In memory or on the disk: its report is that of one search."""
    search = Search(Limits(states=2_000), Stop.EXHAUSTED)
    parts = [*memory, *[None] * 4][: len(moments) + 1]
    model, properties = system.checked
    with split_whatever_reads(columns):
        whole = engine.explore(model, properties, search)
        ended = ended_and_resumed(engine, model, properties, search, moments, parts)
    assert ended == whole
    assert content(ended)[1]["others"] == content(whole)[1]["others"]
