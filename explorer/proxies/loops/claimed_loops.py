"""Claimed loops: of an invariant that says something of each item of a set.

What such a loop says of the items of a set is what it says of each alone: the invariant
holds if it holds of each part of the set. So the function is written anew, and asks
what chooses items for those of each loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from types import CodeType, FrameType

import attrs
from attrs import frozen

from replicheck.explorer.proxies.loops.first_values import keeps_its_values
from replicheck.explorer.proxies.loops.lasting_values import are_lasting_in
from replicheck.explorer.proxies.loops.loop_names import (
    Parents,
    names_from_outside,
    names_in,
    nodes_around,
    stored_names,
)
from replicheck.explorer.proxies.loops.loop_syntax import instruction_at, loop_at
from replicheck.explorer.proxies.loops.parted_loops import (
    BRANCHES,
    FOR_ITER,
    UNFIT,
    LoopOverSet,
    ends_early,
    set_in_cell,
)
from replicheck.explorer.proxies.loops.source_tree import (
    CHOICE,
    SHARED_NAMES_CRASH,
    Position,
    add_choice,
    compiled_anew,
    own_names,
    position_of,
    source_tree,
)

OTHER_UNFIT = (ast.Yield, ast.YieldFrom, ast.NamedExpr)
"""What an invariant may not have in it besides."""
BUILTINS = frozenset({"all", "any"})


@frozen(eq=False)
class ClaimedLoop(LoopOverSet):
    """A loop over a set in an invariant, which holds if it does of each item."""

    place: Position = attrs.field(repr=False)
    """Where in the text that is which it iterates."""
    loop: Position = attrs.field(repr=False)
    """Where the statement or the comprehension is."""
    outside: frozenset[str] = attrs.field(repr=False)
    """The names in it to which it gives no value."""

    def is_parted_in(self, frame: FrameType) -> bool:
        """Tell whether nothing that it does for one item can show to another."""
        return are_lasting_in(frame, self.outside)


@cache
def claimed_loops(code: CodeType) -> tuple[ClaimedLoop, ...]:
    """The loops of an invariant with this code that hold if they do of each item.

    Which of them go over a set that can be split, the text does not say.
    """
    definition = _definition(code)
    if definition is None:
        return ()
    source = source_tree(code)
    assert source is not None, "it has the definition"
    state = definition.args.args[0].arg
    found = [
        *_claimed_statements(definition, state, source.parents),
        *_claimed_generators(definition, state),
    ]
    return tuple(found)


def begins_claimed_loop(frame: FrameType) -> bool:
    """Tell whether a claimed loop begins in a frame, and can be parted there."""
    around = frame.f_back if frame.f_code.co_name == "<genexpr>" else frame
    if around is None or not claimed_loops(around.f_code):
        return False
    instruction = instruction_at(frame.f_code, frame.f_lasti)
    begun = loop_at(frame.f_code, instruction)
    if begun is not None:
        places = {position_of(begun.syntax)}
    else:
        places = {instruction.position}
    return any(
        not places.isdisjoint({loop.loop, loop.place}) and loop.is_parted_in(frame)
        for loop in claimed_loops(around.f_code)
    )


@cache
def written_with_choice(code: CodeType, loops: Sequence[ClaimedLoop]) -> CodeType:
    """Code that asks for the items of its loops.

    Where it said ``for x in s.xs`` it says ``for x in .choice(number, s.xs)``.
    """
    definition = deepcopy(_definition(code))
    assert definition is not None, "it has loops"
    add_choice(definition)
    numbers = {loop.place: number for number, loop in enumerate(loops)}
    for node in ast.walk(definition):
        if isinstance(node, ast.For | ast.comprehension):
            number = numbers.get(position_of(node.iter))
            if number is not None:
                choice = ast.Name(CHOICE, ast.Load())
                call = ast.Call(choice, [ast.Constant(number), node.iter], [])
                node.iter = ast.copy_location(call, node.iter)
    return compiled_anew(definition, code)


def _definition(code: CodeType) -> ast.FunctionDef | None:
    """The definition of a function that may have such loops."""
    if not BUILTINS & {*code.co_names} and FOR_ITER not in code.co_code[::2]:
        return None
    if SHARED_NAMES_CRASH or code.co_freevars or BUILTINS & own_names(code):
        return None
    source = source_tree(code)
    definition = None if source is None else source.definition(code)
    if definition is None or not definition.args.args:
        return None
    if getattr(definition, "type_params", ()):
        return None
    nodes = [*ast.walk(definition)]
    unfit = [node for node in nodes if isinstance(node, (*UNFIT, *OTHER_UNFIT))]
    state = definition.args.args[0].arg
    if unfit != [definition] or state in stored_names(definition.body):
        return None
    return definition


def _claimed_statements(
    definition: ast.FunctionDef, state: str, parents: Parents
) -> Iterator[ClaimedLoop]:
    """Yield the outermost loops that end early only where they return False."""
    parted: list[ast.For] = []
    for loop in ast.walk(definition):
        if not isinstance(loop, ast.For):
            continue
        around = nodes_around(loop, parents)
        within = around[: around.index(definition)]
        if not all(isinstance(node, (ast.For, *BRANCHES)) for node in within):
            continue
        if any(node in parted for node in within) or not _only_fails(loop):
            continue
        found = _loop_over(loop.iter, state, position_of(loop))
        if found is not None and keeps_its_values(loop, definition, parents):
            parted.append(loop)
            yield attrs.evolve(found, outside=names_from_outside(loop))


def _only_fails(loop: ast.For) -> bool:
    """Tell whether all that ends a loop before its last item is ``return False``."""
    returns = [node for node in ast.walk(loop) if isinstance(node, ast.Return)]
    return (
        bool(returns)
        and not loop.orelse
        and not ends_early(loop.body)
        and all(_is_false(node.value) for node in returns)
    )


def _is_false(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _claimed_generators(
    definition: ast.FunctionDef, state: str
) -> Iterator[ClaimedLoop]:
    """Yield the loops of generators of which all that they give has to hold."""
    for node in ast.walk(definition):
        for said in _claimed_by(node):
            loops = (
                _loop_over(of.iter, state, position_of(said))
                for of in said.generators
                if not of.is_async
            )
            found = next(filter(None, loops), None)
            if found is not None:
                outside = names_in([said]) - stored_names([said])
                yield attrs.evolve(found, outside=outside)


def _claimed_by(statement: ast.AST) -> Iterator[ast.GeneratorExp]:
    """Yield the generators by which a statement may have an invariant fail."""
    match statement:
        case ast.Return(value=ast.expr() as value):
            yield from _claimed(value, is_true=True)
        case ast.If(test=test, body=[ast.Return(value=value)], orelse=[]):
            if _is_false(value):
                yield from _claimed(test, is_true=False)


def _claimed(value: ast.expr, *, is_true: bool) -> Iterator[ast.GeneratorExp]:
    """Yield generators by the items of which a value is told to be true, or false.

    It is so with a set if it is so with each of some parts of the set.
    """
    match value:
        case ast.Call(func=ast.Name(name), args=[ast.GeneratorExp() as said]):
            if name == ("all" if is_true else "any"):
                yield said
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _claimed(operand, is_true=not is_true)
        case ast.BoolOp(op=op, values=values):
            found = ([*_claimed(part, is_true=is_true)] for part in reversed(values))
            told = [generators for generators in found if generators]
            are_all = isinstance(op, ast.And) is is_true
            for generators in told if are_all else told[:1]:
                yield from generators
        case ast.IfExp(body=body, orelse=otherwise):
            yield from _claimed(body, is_true=is_true)
            yield from _claimed(otherwise, is_true=is_true)


def _loop_over(iterated: ast.expr, state: str, loop: Position) -> ClaimedLoop | None:
    """The loop, if it goes over a cell of a state, or over the members of one."""
    found = set_in_cell(iterated, state)
    if found is None:
        return None
    return ClaimedLoop(*found, "", position_of(iterated), loop, frozenset())
