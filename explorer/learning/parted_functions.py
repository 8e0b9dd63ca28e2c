"""Parted actions: each is learned as several functions, one for each part of a set.

An action that does something with each message reads all of them, so that it would be
learned anew for each set of messages. If all its steps come of one loop over the set,
they are the steps that it takes for the elements of each part, and those are learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from types import FunctionType

from attrs import evolve

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.proxies.loops.parted_loops import PartedLoop, parted_loop
from replicheck.explorer.proxies.split.parted_set import ElementPart
from replicheck.explorer.states.set_elements import Elements
from replicheck.explorer.states.split_layout import SplitLayout

MOST = 512
"""Functions at most that are learned for actions with parts."""


def loops_of(
    functions: Iterable[LearnedFunction], layout: SplitLayout
) -> Mapping[str, PartedLoop]:
    """The loops by which actions can be parted, by the names of these."""
    found: dict[str, PartedLoop] = {}
    for function in functions:
        plain = function.instance.function
        if function.role is Role.ACTION and isinstance(plain, FunctionType):
            loop = parted_loop(plain.__code__)
            if (
                loop is not None
                and loop.builtins.isdisjoint(plain.__globals__)
                and any(_goes_over(loop, elements) for elements in layout.sets.values())
            ):
                found[function.instance.name] = loop
    return found


def parted(
    functions: Sequence[LearnedFunction], layout: SplitLayout
) -> list[LearnedFunction]:
    """Functions in their order, with the parts of those that have any."""
    names = {name for room in layout.rooms.values() for name in room.parted}
    are_parted = [
        function.role is Role.ACTION and function.instance.name in names
        for function in functions
    ]
    loops = loops_of(compress(functions, are_parted), layout)
    found: list[LearnedFunction] = []
    for function, is_parted in zip(functions, are_parted, strict=True):
        if not is_parted:
            found.append(function)
            continue
        loop = loops[function.instance.name]
        count = min(layout.rooms[loop.field].parts, MOST // sum(are_parted) or 1)
        parts = (ElementPart(loop, number, count) for number in range(count))
        found += [evolve(function, part=part) for part in parts]
    return found


def _goes_over(loop: PartedLoop, elements: Elements) -> bool:
    """Tell whether a loop goes over a split set, or over what that is asked for."""
    cell, of = elements.cell, elements.set_class
    if (loop.field, loop.indices) != (cell.field, len(cell.index)):
        return False
    return loop.question in of.by_item if loop.question else loop.members == of.members
