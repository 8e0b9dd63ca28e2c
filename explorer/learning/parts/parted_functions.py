"""Parted actions: each is learned as several functions, one for each part of a set.

An action that does something with each message reads all of them, so that it would be
learned anew for each set of messages. The steps of its loops over sets are those that
it takes for the elements of each part, and these are learned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

from attrs import evolve

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.proxies.loops.parted_loops import (
    LoopOverSet,
    PartedLoop,
    chosen_loops,
    parted_loops,
)
from replicheck.explorer.proxies.split.parted_set import ElementPart
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.split_layout import SplitLayout
from replicheck.explorer.states.value_parts import SetClass, set_class_of

CellWithSet = tuple[Cell, SetClass]
"""A cell, and the class of the values that it has."""

MOST = 512
"""Functions at most that are learned for actions with parts."""


def loops_of(
    functions: Iterable[LearnedFunction], sets: Collection[CellWithSet]
) -> Mapping[str, tuple[PartedLoop, ...]]:
    """The loops over some sets by which actions can be parted, by their names."""
    found: dict[str, tuple[PartedLoop, ...]] = {}
    for function in functions:
        plain = function.instance.function
        if function.role is Role.ACTION and isinstance(plain, FunctionType):
            loops = chosen_loops(
                loop
                for loop in parted_loops(plain.__code__)
                if loop.builtins.isdisjoint(plain.__globals__)
                and any(goes_over(loop, *of) for of in sets)
            )
            if loops:
                found.setdefault(function.instance.name, loops)
    return found


def parted(
    functions: Sequence[LearnedFunction], layout: SplitLayout
) -> list[LearnedFunction]:
    """Functions in their order, with the parts of those that have any.

    Raises:
        EncodedOtherwise: if they compare elements of a set that cannot be compared.
    """
    names = {name for of in layout.set_encodings.values() for name in of.parted}
    sets = split_sets_of(layout)
    loops = {
        name: of for name, of in loops_of(functions, sets).items() if name in names
    }
    are_parted = [
        function.role is Role.ACTION and function.instance.name in loops
        for function in functions
    ]
    found: list[LearnedFunction] = []
    for function, is_parted in zip(functions, are_parted, strict=True):
        if not is_parted:
            found.append(function)
            continue
        over = loops[function.instance.name]
        for elements in layout.sets.values():
            if any(_compares(loop, elements.cell) for loop in over):
                elements.compare_all()
        most = max(layout.set_encodings[loop.field].parts for loop in over)
        count = min(most, MOST // sum(are_parted) or 1)
        parts = (ElementPart(over, number, count) for number in range(count))
        found += [evolve(function, part=part) for part in parts]
    return found


def sets_in(layout: Layout, state: Any) -> list[CellWithSet]:
    """The cells of a state that hold sets, with the classes of these."""
    values = layout.values(state)
    return [
        (cell, of)
        for cell, value in zip(layout.cells, values, strict=True)
        if (of := set_class_of(value)) is not None
    ]


def split_sets_of(layout: SplitLayout) -> list[CellWithSet]:
    """The cells of which the sets are split, with the classes of their values."""
    return [(elements.cell, elements.set_class) for elements in layout.sets.values()]


def _compares(loop: PartedLoop, cell: Cell) -> bool:
    """Tell whether a loop goes over a set in a cell that it sorts by the items."""
    return loop.compares_items and loop.field == cell.field


def goes_over(loop: LoopOverSet, cell: Cell, set_class: SetClass) -> bool:
    """Tell whether a loop goes over the set in a cell, or over what it is asked for."""
    if (loop.field, loop.indices) != (cell.field, len(cell.index)):
        return False
    if loop.question:
        return loop.question in set_class.by_item
    if loop.members:
        return loop.members == set_class.members
    return not set_class.members or set_class.is_iterated
