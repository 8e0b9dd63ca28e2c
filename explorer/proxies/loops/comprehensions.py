"""Comprehensions with several `for`s: which one begins, and what it tests."""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator, Sequence
from types import CodeType

from attrs import frozen

from replicheck.explorer.proxies.loops.loop_names import (
    Comprehension,
    names_in,
    stored_names,
)
from replicheck.explorer.proxies.loops.source_tree import Position

FUNCTIONS = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
"""Names of the functions that interpreters make of comprehensions."""


@frozen
class FirstTests:
    """What an item has to pass before a comprehension does anything with it.

    ``iterated`` are the expressions that are iterated before the last of the tests.
    """

    tests: list[ast.expr]
    iterated: tuple[ast.expr, ...]


def first_tests(
    generator: ast.comprehension,
    later: Sequence[ast.comprehension],
    decides: ast.expr | None,
) -> FirstTests:
    """The tests of one `for` of a comprehension, and of those behind it.

    Of these, the first ones that do not ask what the later ones iterate.

    Args:
        decides: what is true of the items that decide an ``any`` or an ``all``.
    """
    tests, iterated = list(generator.ifs), list[ast.expr]()
    names = stored_names([generator.target])
    unknown = stored_names(part.target for part in later)
    for part in later:
        if names_in([part.iter]) & (names | unknown):
            return FirstTests(tests, tuple(iterated))
        iterated.append(part.iter)
        for test in part.ifs:
            for conjunct in _conjuncts(test):
                if names_in([conjunct]) & unknown:
                    return FirstTests(tests, tuple(iterated))
                tests.append(conjunct)
    for conjunct in () if decides is None else _conjuncts(decides):
        if names_in([conjunct]) & unknown:
            break
        tests.append(conjunct)
    return FirstTests(tests, tuple(iterated))


def place_of_comprehension(code: CodeType) -> Position | None:
    """Where the comprehension is of which an interpreter made a function, if of one."""
    if code.co_name in FUNCTIONS:
        for operation in dis.get_instructions(code):
            if operation.argval == ".0" and operation.positions is not None:
                return Position(*operation.positions)
    return None


def first_begun(
    code: CodeType, loop: Comprehension, place: Position
) -> ast.comprehension | None:
    """The first `for` of a comprehension, if code around it begins that.

    None if code may as well begin a later one.

    Args:
        place: where the comprehension is.
    """
    inside = [part for part in code.co_consts if isinstance(part, CodeType)]
    is_apart = any(place_of_comprehension(part) == place for part in inside)
    is_alone = len(loop.generators) == 1
    return loop.generators[0] if is_alone or is_apart else None


def second_begun(code: CodeType, loop: Comprehension) -> ast.comprehension | None:
    """The second `for` of a comprehension, if that is all that its function begins."""
    first, *later = loop.generators
    if len(later) != 1:
        return None
    parts = [loop.elt] if not isinstance(loop, ast.DictComp) else [loop.key, loop.value]
    parts += [*first.ifs, *later[0].ifs, later[0].iter]
    begun = [op for op in dis.get_instructions(code) if op.opname == "GET_ITER"]
    nested = [
        n for part in parts for n in ast.walk(part) if isinstance(n, Comprehension)
    ]
    # The first one begins outside, but in some interpreters.
    return later[0] if len(begun) == 1 and not nested else None


def _conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a test, in order, that all have to be true."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _conjuncts(value)
        case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp(op=ast.Or(), values=values)):
            for value in values:
                yield from _conjuncts(ast.UnaryOp(ast.Not(), value))
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=operand)
        ):
            yield from _conjuncts(operand)
        case _:
            yield test
