"""Loops over items: of an action that does something with each of some, by itself.

They go over numbers, ``for node in range(s.size.nodes)``, or over cells, ``for node,
clock in enumerate(s.clocks)``. Nothing else sees that such a loop begins. So the
function is written anew, and asks what chooses items for those of each loop.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from copy import deepcopy
from functools import cache
from types import CodeType, FrameType

import attrs
from attrs import frozen

from replicheck.explorer.proxies.loops.lasting_values import are_lasting_in
from replicheck.explorer.proxies.loops.loop_names import (
    names_from_outside,
    nodes_around,
)
from replicheck.explorer.proxies.loops.parted_loops import loops_by_item
from replicheck.explorer.proxies.loops.source_tree import (
    CHOICE,
    Position,
    add_choice,
    compiled_anew,
    lines_of,
    position_of,
)

PAIRING = frozenset({"enumerate", "zip"})
"""Functions that are asked for some of the pairs that they give."""
DEEPEST = 2
"""So many loops in one another are looked at."""


@frozen(eq=False)
class ItemLoop:
    """A loop over items from which steps of an action come."""

    lines: range
    """Those of its text."""
    place: Position = attrs.field(repr=False)
    """Where in the text that is which it iterates."""
    outside: frozenset[str] = attrs.field(repr=False)
    """The names in it to which it gives no value."""
    depth: int
    """So many such loops are around it."""
    is_innermost: bool
    """Whether none is in it."""

    def is_parted_in(self, frame: FrameType) -> bool:
        """Tell whether nothing that it does for one item can show to another."""
        return are_lasting_in(frame, self.outside)


@cache
def item_loops(
    code: CodeType,
    set_loops: Collection[range] = frozenset(),
    apart_from: Collection[range] = frozenset(),
) -> tuple[ItemLoop, ...]:
    """The loops over items of a function with this code, outer before inner.

    Args:
        set_loops: the lines of loops that are none of these: they go over a set.
        apart_from: the lines of loops that are not in one of these, or around it.
    """
    found = loops_by_item(code)
    if found is None or code.co_freevars or _has_type_parameters(found.definition):
        return ()
    depths: dict[ast.For, int] = {}
    for loop in found.loops:
        depth = sum(node in depths for node in nodes_around(loop, found.parents))
        lines = lines_of(loop)
        is_apart = not any(_overlap(lines, loop_lines) for loop_lines in apart_from)
        if depth < DEEPEST and lines not in set_loops and is_apart:
            depths[loop] = depth
    outer = {node for loop in depths for node in nodes_around(loop, found.parents)}
    return tuple(
        ItemLoop(
            lines_of(loop),
            position_of(loop.iter),
            names_from_outside(loop),
            depth,
            loop not in outer,
        )
        for loop, depth in depths.items()
    )


@cache
def written_anew(code: CodeType, loops: Sequence[ItemLoop]) -> CodeType:
    """Code that asks for the items of its loops.

    Where it said ``for x in f(y)`` it says ``for x in .choice(number, f, y)``.
    """
    found = loops_by_item(code)
    assert found is not None, "it has loops"
    definition = deepcopy(found.definition)
    add_choice(definition)
    numbers = {loop.place: number for number, loop in enumerate(loops)}
    for node in ast.walk(definition):
        if isinstance(node, ast.For) and position_of(node.iter) in numbers:
            node.iter = _choice(numbers[position_of(node.iter)], node.iter)
    return compiled_anew(definition, code)


def _choice(number: int, iterated: ast.expr) -> ast.expr:
    """The call that gives some of what an expression gives."""
    parts = [iterated]
    match iterated:
        case ast.Call(func=ast.Name(id=name) as function, args=arguments, keywords=[]):
            has_stars = any(isinstance(part, ast.Starred) for part in arguments)
            if name in PAIRING and arguments and not has_stars:
                parts = [function, *arguments]
    choice = ast.Name(CHOICE, ast.Load())
    call = ast.Call(choice, [ast.Constant(number), *parts], [])
    return ast.copy_location(call, iterated)


def _has_type_parameters(definition: ast.FunctionDef) -> bool:
    """Tell whether a function is defined in a scope of their own, since Python 3.12."""
    return bool(getattr(definition, "type_params", ()))


def _overlap(first: range, second: range) -> bool:
    return first.start < second.stop and second.start < first.stop
