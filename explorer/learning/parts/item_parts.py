"""Actions that are learned for parts of the items of their loops.

An action that does something with each node by itself reads the cells of all nodes, so
that it would be learned anew for nearly each state. A part of it reads those of some.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import FunctionType
from typing import Any

from attrs import evolve

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.parts.parted_functions import (
    CellWithSet,
    goes_over,
    sets_in,
)
from replicheck.explorer.proxies.items.item_choice import ItemPart
from replicheck.explorer.proxies.items.item_loops import ItemLoop, item_loops
from replicheck.explorer.proxies.items.mixed_part import MixedPart
from replicheck.explorer.proxies.loops.parted_loops import parted_loops
from replicheck.explorer.proxies.split.parted_set import ElementPart
from replicheck.explorer.states.layout import Layout

PartByItems = ItemPart | MixedPart
Sizes = tuple[int, int]
"""Parts by the items of outer loops, and of each by those of loops in them."""
AS_A_WHOLE = (1, 1)


def parted_by_items(
    functions: Sequence[LearnedFunction],
    sizes: Mapping[str, Sizes],
    layout: Layout,
    start: Any,
) -> list[LearnedFunction]:
    """Functions in their order, in place of some those that are parts of them.

    What is learned for parts of a set, and goes over items, too, has parts for these.

    Args:
        sizes: of actions, by their names.
        start: an initial state.
    """
    sets = sets_in(layout.plain, start)
    found: list[LearnedFunction] = []
    for function in functions:
        of_action = sizes.get(function.instance.name, AS_A_WHOLE)
        is_whole = function.part is None and of_action == AS_A_WHOLE
        parts = () if is_whole else item_parts(function, of_action, sets)
        if not parts:
            found.append(function)
        elif function.part is None or function.part.number == 0:
            found += [evolve(function, part=part) for part in parts]
    return found


def item_parts(
    function: LearnedFunction, sizes: Sizes, sets: Collection[CellWithSet]
) -> Sequence[PartByItems]:
    """The parts of an action by the items of its loops; none if it has no such loop.

    Those of an action with parts of sets are all that it has, those for items first.

    Args:
        sets: cells with sets, over which none of the loops goes.
    """
    outer, inner = sizes
    loops = loops_over_items(function, sets)
    if not loops:
        return ()
    of_items = [ItemPart(loops, sizes, number) for number in range(outer * inner)]
    of_sets = function.part
    if not isinstance(of_sets, ElementPart):
        return of_items
    count = len(of_items) + of_sets.count
    items_of_each = of_items + of_items[:1] * of_sets.count
    return [
        MixedPart(of_sets.loops, number, count, items=items)
        for number, items in enumerate(items_of_each)
    ]


def loops_over_items(
    function: LearnedFunction, sets: Collection[CellWithSet]
) -> tuple[ItemLoop, ...]:
    """The loops over items of an action, if it has some.

    If it has parts of sets, these loops are apart from those over sets.

    Args:
        sets: cells with sets, over which none of them goes.
    """
    plain = function.instance.function
    if function.role is not Role.ACTION or not isinstance(plain, FunctionType):
        return ()
    over_sets = (
        loop.lines
        for loop in parted_loops(plain.__code__)
        if any(goes_over(loop, *of) for of in sets)
    )
    parted = function.part.loops if isinstance(function.part, ElementPart) else ()
    apart_from = frozenset(loop.lines for loop in parted)
    return item_loops(plain.__code__, frozenset(over_sets), apart_from)
