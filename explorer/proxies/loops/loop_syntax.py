"""The syntax of loops: what a function does with each item of the set it iterates.

A frame that begins to iterate knows which instruction does so, and from where in the
text that comes. The text is that of the file now; it is believed only if it compiles
to the very code that runs.
"""

from __future__ import annotations

import ast
import dis
import inspect
from functools import cache
from itertools import islice
from types import CodeType
from typing import NamedTuple

from attrs import evolve, frozen

from replicheck.explorer.proxies.loops.comprehensions import (
    first_begun,
    first_tests,
    place_of_comprehension,
    second_begun,
)
from replicheck.explorer.proxies.loops.loop_names import (
    Comprehension,
    Parents,
    is_read_unbound,
    named_by_assignments,
    names_of_others,
    shared_names,
    stored_names,
)
from replicheck.explorer.proxies.loops.source_tree import (
    Position,
    SourceTree,
    source_tree,
)

CONSUMERS = frozenset(
    {"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum"}
    | {"tuple"}
)
"""Builtins that go through a generator at once."""
ORDERS = frozenset({"repr", "str"})
"""Builtins that may be the key by which a set is sorted."""


class Instruction(NamedTuple):
    """Where a function is, whatever the interpreter has made of its calls."""

    position: Position
    begins_loop: bool


@frozen(eq=False)
class Loop:
    """A loop over a set, as a `for` statement.

    A comprehension is a statement that begins with what leaves items out. What later
    `for`s of it leave out with each of their items is part of that.
    """

    syntax: ast.For | Comprehension
    target: ast.expr
    body: list[ast.stmt]
    builtins: frozenset[str]
    """Names that have to be those of builtins."""
    changed: frozenset[str]
    """Names that may get another value while the loop goes on."""
    parents: Parents
    iterated: tuple[ast.expr, ...] = ()
    """What is iterated before the last test."""
    compares_items: bool = False
    """Whether the items are sorted by themselves, which may raise of unlike ones."""


@cache
def instruction_at(code: CodeType, offset: int) -> Instruction:
    """The instruction at an offset in bytes."""
    position = next(islice(code.co_positions(), offset // 2, None))
    name = dis.opname[code.co_code[offset]]
    return Instruction(Position(*position), name == "GET_ITER")


def loop_at(code: CodeType, instruction: Instruction) -> Loop | None:
    """The loop that begins with an instruction.

    None if that begins no loop, or if it is not known from the text with which items
    the loop does anything.
    """
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    source = source_tree(code)
    if source is None:
        return None
    needed, compares_items = frozenset[str](), False
    if instruction.begins_loop:
        second = _second_begun(source, code)
        if second is not None:
            return _of_comprehension(source, second, needed)
    node = source.at(instruction.position)
    if node is None:
        return None
    if not instruction.begins_loop:
        if not sorts(node):
            return None
        compares_items = sorts_by_items(node)
        needed = names_of_sorting(node)
    # An interpreter says of a loop where it is, or where that is which it iterates.
    loop: ast.For | ast.comprehension | None
    if isinstance(node, Comprehension):
        loop = first_begun(code, node, instruction.position)
    else:
        loop = node if isinstance(node, ast.For) else source.loop_over(node)
    found: Loop | None = None
    if isinstance(loop, ast.For):
        found = _of_statement(source, loop, needed)
    elif loop is not None:
        found = _of_comprehension(source, loop, needed)
    return found and evolve(found, compares_items=compares_items)


def _second_begun(source: SourceTree, code: CodeType) -> ast.comprehension | None:
    """The second `for` of the comprehension that a function is made of, if it begins.

    Of that an interpreter may say that it begins anywhere in the comprehension.
    """
    place = place_of_comprehension(code)
    loop = None if place is None else source.at(place)
    return second_begun(code, loop) if isinstance(loop, Comprehension) else None


def _of_statement(
    source: SourceTree, loop: ast.For, builtins: frozenset[str]
) -> Loop | None:
    patterns = [node for node in ast.walk(loop) if isinstance(node, ast.pattern)]
    names = stored_names([loop.target, *patterns])
    shared = shared_names(loop, source.parents)
    if names & shared or is_read_unbound(names, loop, source.parents):
        return None
    changed = shared | stored_names(loop.body)
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(loop)):
        changed |= names_of_others(loop, source.parents)
    return Loop(loop, loop.target, loop.body, builtins, changed, source.parents)


def _of_comprehension(
    source: SourceTree, generator: ast.comprehension, builtins: frozenset[str]
) -> Loop | None:
    loop = source.parents[generator]
    assert isinstance(loop, Comprehension)
    if any(part.is_async for part in loop.generators):
        return None
    decides: ast.expr | None = None
    if isinstance(loop, ast.GeneratorExp):
        consumer = _consumer(source.parents[loop], loop)
        if consumer is None:
            return None
        builtins |= {consumer}
        if consumer in ("all", "any"):
            is_any = consumer == "any"
            decides = loop.elt if is_any else ast.UnaryOp(ast.Not(), loop.elt)
    later = loop.generators[loop.generators.index(generator) + 1 :]
    passed = first_tests(generator, later, decides)
    sorting = filter(is_sorted, passed.iterated)
    builtins = builtins.union(*map(names_of_sorting, sorting))
    body: list[ast.stmt] = [
        ast.If(ast.UnaryOp(ast.Not(), test), [ast.Continue()], [])
        for test in passed.tests
    ]
    changed = shared_names(loop, source.parents) | named_by_assignments(loop)
    changed |= stored_names(part.target for part in later)
    return Loop(
        loop,
        generator.target,
        [*body, ast.Break()],
        builtins,
        changed,
        source.parents,
        tuple(_unsorted(part) for part in passed.iterated),
    )


def _consumer(call: ast.AST, loop: ast.GeneratorExp) -> str | None:
    """The builtin that goes through a generator at once, if that is what is called."""
    match call:
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if first is loop:
            return name if name in CONSUMERS else None
    return None


def is_sorted(call: ast.AST) -> bool:
    """Tell whether an expression sorts what it is given by what each item has.

    By another key, or by none, there may be items that cannot be compared.
    """
    return sorts(call) and bool(names_of_sorting(call) & ORDERS)


def sorts_by_items(call: ast.AST) -> bool:
    """Tell whether an expression sorts what it is given by the items themselves."""
    return sorts(call) and not names_of_sorting(call) & ORDERS


def sorts(call: ast.AST) -> bool:
    """Tell whether an expression sorts, by an order that the text tells."""
    match call:
        case ast.Call(func=ast.Name(id="sorted"), args=[_], keywords=keywords):
            return all(map(_is_order, keywords))
    return False


def names_of_sorting(call: ast.AST) -> frozenset[str]:
    """The names in an expression that sorts, which have to be those of builtins."""
    keys = call.keywords if isinstance(call, ast.Call) else []
    orders = [key.value.id for key in keys if isinstance(key.value, ast.Name)]
    return frozenset({"sorted", *orders})


def _unsorted(iterated: ast.expr) -> ast.expr:
    """What is iterated, but for the order: to sort a set would read all of it."""
    if isinstance(iterated, ast.Call) and is_sorted(iterated):
        return iterated.args[0]
    return iterated


def _is_order(keyword: ast.keyword) -> bool:
    match keyword:
        case ast.keyword(arg="key", value=ast.Name(id=name)):
            return name in ORDERS
        case ast.keyword(arg="reverse", value=ast.Constant()):
            return True
    return False
