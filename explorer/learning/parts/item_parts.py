"""Actions that are learned for parts of the items of their loops: which, and how many.

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
from replicheck.explorer.proxies.loops.parted_loops import parted_loops
from replicheck.explorer.states.layout import Layout

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

    Args:
        sizes: of actions, by their names.
        start: an initial state.
    """
    sets = sets_in(layout.plain, start)
    found: list[LearnedFunction] = []
    for function in functions:
        of_action = sizes.get(function.instance.name, AS_A_WHOLE)
        loops = loops_over_items(function, sets) if of_action != AS_A_WHOLE else ()
        if not loops or function.part is not None:
            found.append(function)
            continue
        outer, inner = of_action
        numbers = range(outer * inner)
        parts = (ItemPart(loops, of_action, number) for number in numbers)
        found += [evolve(function, part=part) for part in parts]
    return found


def loops_over_items(
    function: LearnedFunction, sets: Collection[CellWithSet]
) -> tuple[ItemLoop, ...]:
    """The loops over items of an action, if it has some.

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
    return item_loops(plain.__code__, frozenset(over_sets))
