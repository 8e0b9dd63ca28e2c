"""Parted loops: of an action that does something with each item of a set, by itself.

What such a loop does in a state is what it would do for each item alone. So a search
can learn that item by item, where it knows from the text that it is so.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import CodeType, FrameType

import attrs
from attrs import frozen

from replicheck.explorer.proxies.loops.first_values import keeps_its_values
from replicheck.explorer.proxies.loops.lasting_values import are_lasting_in
from replicheck.explorer.proxies.loops.loop_names import (
    Parents,
    assigned_names,
    names_from_outside,
    nodes_around,
)
from replicheck.explorer.proxies.loops.loop_syntax import (
    instruction_at,
    names_of_sorting,
    sorts,
    sorts_by_items,
)
from replicheck.explorer.proxies.loops.source_tree import (
    SHARED_NAMES_CRASH,
    Position,
    as_written,
    has_shared_names,
    lines_of,
    own_names,
    position_of,
    source_tree,
)

BRANCHES = (ast.If, ast.Match, ast.match_case)
"""All that may be around a parted loop in its function."""
LOOPS = (ast.For, ast.While)
STEPS = (ast.Yield, ast.YieldFrom)
"""What gives steps."""
SetInCell = tuple[str, int, str]
"""A field of a state, the number of indices in it, and the name of a set in a value."""
FOR_ITER = dis.opmap["FOR_ITER"]
"""The instruction without which a function has no loop. Each takes two bytes."""
UNFIT = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Global, ast.Nonlocal, ast.Await),
)
"""What a function may not have in it."""


@frozen(eq=False)
class LoopOverSet:
    """What the text of a loop says of the set that it goes over."""

    field: str
    """The field of the state that holds the set."""
    indices: int
    """How many the set has in a family of the field."""
    members: str
    """The name of the set in the value of a cell, if it is not that itself."""
    question: str
    """The question to such a value that gives the items, if the loop asks one."""


@frozen(eq=False)
class PartedLoop(LoopOverSet):
    """A loop over a set from which steps of an action come."""

    lines: range
    """Those of its text."""
    code: CodeType = attrs.field(repr=False)
    places: frozenset[Position] = attrs.field(repr=False)
    """Where the loop is in the text, and what it iterates; of a question that alone."""
    outside: frozenset[str] = attrs.field(repr=False)
    """The names in it to which it gives no value."""
    builtins: frozenset[str] = attrs.field(repr=False)
    """Names that have to be those of builtins."""
    compares_items: bool
    """Whether the items are sorted by themselves, so that any two are compared."""

    def begins_in(self, frame: FrameType) -> bool:
        """Tell whether it is this loop that begins in a frame."""
        code = as_written(frame.f_code)
        is_here = code is self.code or code == self.code
        return is_here and self._position_in(frame) in self.places

    def is_parted_in(self, frame: FrameType) -> bool:
        """Tell whether nothing that it does for one item can show to another."""
        return are_lasting_in(frame, self.outside)

    @staticmethod
    def _position_in(frame: FrameType) -> Position:
        return instruction_at(frame.f_code, frame.f_lasti).position


@frozen
class LoopsByItem:
    """The loops of a function that do for each item what they would do for it alone."""

    state: str
    """The name of the state that the function is given."""
    definition: ast.FunctionDef
    loops: Sequence[ast.For]
    """Outer before inner."""
    parents: Parents


@cache
def loops_by_item(code: CodeType) -> LoopsByItem | None:
    """The loops of a function with this code; None if it has none, or no known text."""
    if FOR_ITER not in code.co_code[::2]:
        return None
    source = source_tree(code)
    definition = None if source is None else source.definition(code)
    if source is None or definition is None:
        return None
    parameters = [*definition.args.posonlyargs, *definition.args.args]
    if not parameters:
        return None
    if SHARED_NAMES_CRASH and has_shared_names(code):
        return None
    state = parameters[0].arg
    if any(state in assigned_names(statement) for statement in definition.body):
        return None
    loops = [
        loop
        for loop in _loops_with_steps(definition, source.parents)
        if _stands_alone(loop, definition, source.parents)
    ]
    return LoopsByItem(state, definition, loops, source.parents)


@cache
def parted_loops(code: CodeType) -> tuple[PartedLoop, ...]:
    """The loops of a function with this code that can be parted, outer before inner.

    Which of them go over a set that can be, the text does not say.
    """
    found = loops_by_item(code)
    if found is None:
        return ()
    loops = (_loop_over_cell(loop, found.state, code) for loop in found.loops)
    return tuple(loop for loop in loops if loop is not None)


def chosen_loops(loops: Iterable[PartedLoop]) -> tuple[PartedLoop, ...]:
    """The outermost of some loops, which come outer before inner."""
    chosen: list[PartedLoop] = []
    for loop in loops:
        if not any(loop.lines[0] in around.lines for around in chosen):
            chosen.append(loop)
    return tuple(chosen)


def _loops_with_steps(
    definition: ast.FunctionDef, parents: Parents
) -> Iterator[ast.For]:
    """Yield the loops with steps, outer before inner, that no statement may end."""
    steps = [node for node in ast.walk(definition) if isinstance(node, STEPS)]
    if not all(isinstance(parents[step], ast.Expr) for step in steps):
        return
    with_steps = {node for step in steps for node in nodes_around(step, parents)}
    for loop in ast.walk(definition):
        if isinstance(loop, ast.For) and loop in with_steps:
            around = nodes_around(loop, parents)
            within = around[: around.index(definition)]
            if all(isinstance(node, (ast.For, *BRANCHES)) for node in within):
                yield loop


def _loop_over_cell(loop: ast.For, state: str, code: CodeType) -> PartedLoop | None:
    """The loop, if it goes over a cell of a state, or over what that is asked for."""
    iterated = loop.iter
    compares_items = sorts_by_items(iterated)
    builtins = names_of_sorting(iterated) if sorts(iterated) else frozenset()
    if isinstance(iterated, ast.Call) and builtins and not builtins & own_names(code):
        iterated = iterated.args[0]
    question = ""
    places = {position_of(loop), position_of(loop.iter)}
    found = set_in_cell(iterated, state)
    if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute):
        found, question = _cell(iterated.func.value, state), iterated.func.attr
        places = {position_of(iterated)}
    is_unfit = compares_items or not places & _places_of_calls(code)
    if found is None or (question and is_unfit):
        return None
    return PartedLoop(
        *found,
        question,
        lines_of(loop),
        code,
        frozenset(places),
        names_from_outside(loop),
        builtins,
        compares_items,
    )


def _places_of_calls(code: CodeType) -> frozenset[Position]:
    """Where the calls of a function are in its text.

    Of a method whose name begins another line than the call, some interpreters say
    that the call begins there.
    """
    instructions = zip(code.co_positions(), code.co_code[::2], strict=True)
    return frozenset(
        Position(*position)
        for position, operation in instructions
        if dis.opname[operation].startswith("CALL")
    )


def set_in_cell(node: ast.expr, state: str) -> SetInCell | None:
    """The set that an expression is, if it is a cell, or a member of a value in one."""
    found = _cell(node, state)
    if found is None and isinstance(node, ast.Attribute):
        found = _cell(node.value, state)
        return None if found is None else (*found[:2], node.attr)
    return found


def _cell(node: ast.expr, state: str) -> SetInCell | None:
    indices = 0
    while isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        node, indices = node.value, indices + 1
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=field) if name == state:
            return field, indices, ""
    return None


def _stands_alone(loop: ast.For, definition: ast.FunctionDef, parents: Parents) -> bool:
    """Tell whether no name and no jump leads from one item to another, or out."""
    within = set(ast.walk(loop))
    unfit = [node for node in ast.walk(definition) if isinstance(node, UNFIT)]
    if unfit != [definition] or loop.orelse:
        return False
    if any(isinstance(node, ast.Return) for node in within) or ends_early(loop.body):
        return False
    return keeps_its_values(loop, definition, parents)


def ends_early(body: Iterable[ast.AST]) -> bool:
    """Tell whether statements of a loop end it by `break`."""
    return any(
        isinstance(node, ast.Break)
        or ends_early(
            node.orelse if isinstance(node, LOOPS) else ast.iter_child_nodes(node)
        )
        for node in body
    )
