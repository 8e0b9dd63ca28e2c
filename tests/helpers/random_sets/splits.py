"""What tests of split sets share: to split whatever reads a set, and a set to split."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest.mock import patch

from attrs import frozen
from hypothesis import strategies as st

from random_sets.set_systems import Item, Sets
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning import crowded_sets, encoding_watch
from replicheck.explorer.proxies.loops.parted_loops import parted_loops
from replicheck.explorer.report import Report
from replicheck.explorer.states.set_elements import Elements
from replicheck.model.protocol import Action
from toys import Toy

NEVER = 1 << 40
"""No set has so many values."""
ITEMS = tuple(map(Item, range(10)))


@frozen
class Columns:
    """The columns that sets have which are split whatever reads them.

    With few spare ones a search begins anew when another element comes.
    """

    spare: int
    is_counted: bool


COLUMNS = st.builds(Columns, st.sampled_from([-3, 0, 5]), st.booleans())


def put(state: Sets, item: Item) -> Iterator[Sets]:
    """Add what is not there."""
    if item not in state.left:
        yield state.evolve(left=state.left | {item})


def put_next(state: Sets, item: Item) -> Iterator[Sets]:
    """Add an item if the one before is there."""
    if item == 0 or Item(item - 1) in state.left:
        yield state.evolve(left=state.left | {item})


def empty(state: Sets) -> Iterator[Sets]:
    """Begin anew once all items are there."""
    if state.left.issuperset(ITEMS):
        yield state.evolve(left=frozenset())


def puts() -> Toy:
    """A model that puts ten items into a set, which then has 1,024 values."""
    return Toy((put, empty), (Sets(),), domains={Item: ITEMS})


def iterating() -> Toy:
    """A model with a function that reads first what came first to a set."""
    assert [*frozenset([0, 8])] != [*frozenset([8, 0])]

    def use(state: Sets, item: Item) -> Iterator[Sets]:
        for known in state.left:
            others = state.family[known // 8]
            if item not in others:
                yield state.evolve(family={known // 8: others | {item}})

    return Toy((put, use), (Sets(),), domains={Item: (Item(0), Item(8))})


def explored(*actions: Action, crowded: int = 50) -> Report[Sets]:
    """The report of a search of ten items, which the obvious search agrees with."""
    model = Toy(actions, (Sets(),), domains={Item: ITEMS})
    found = BreadthFirst(crowded=crowded).explore(model, ())
    assert found == Naive().explore(model, ())
    return found


def split_of(report: Report[Any]) -> dict[str, int]:
    """Which sets were split, and how many elements they had."""
    assert report.statistics.breadth_first is not None
    return dict(report.statistics.breadth_first.split)


def runs_of(report: Report[Any], action: str) -> int:
    """How often the function of an action ran."""
    assert report.statistics.breadth_first is not None
    return report.statistics.breadth_first.functions[action].runs


def is_parted(action: Action) -> bool:
    """Tell whether the text of an action says that it does something item by item."""
    return bool(parted_loops(cast(Any, action).__code__))


@contextmanager
def split_whatever_reads(columns: Columns) -> Iterator[None]:
    """Sets are split that are read as a whole, and actions for parts of them."""

    def is_as_wanted(lookups: object, elements: Elements, values: object) -> bool:
        return elements.encoding.is_counted == columns.is_counted

    of_sets = patch.multiple(
        crowded_sets,
        _are_by_element=is_as_wanted,
        WHOLE_READS=1 << 40,
        ASKED=1,
        LOOPED=1,
        SPARE=columns.spare,
    )
    with of_sets, patch.object(encoding_watch, "MOST_RUNS", 0):
        yield
