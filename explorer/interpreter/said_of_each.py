"""What an invariant says of each of some things, by its text.

An invariant that ends in ``return all(C for x in XS)`` says C of each x. So does one
that ends in a loop, ``for x in XS``, with ``return False`` where C is not true of an x,
and in ``return True`` behind it. Tests before it tell where that is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

from attrs import frozen

from replicheck.explorer.interpreter.predicate_text import (
    definition_that_runs,
    with_body,
)
from replicheck.explorer.model import Predicate

ANSWERING = frozenset({"abs", "all", "any", "bool", "frozenset", "int", "len", "range"})
"""Functions of Python that give what nothing changes, whatever they are given."""
CHOOSING = frozenset({"max", "min", "tuple"})
"""Functions that give something of what they are given."""
CHANGING = (
    ast.List,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
"""Expressions that give what a later expression may change."""


@frozen
class SaidOfEach:
    """Functions that list what an invariant says of each, as functions of nothing.

    ``listed`` first asks what the invariant asks before, and returns what it would if
    that is enough; ``unguarded`` does not ask.
    """

    listed: Predicate
    unguarded: Predicate


@cache
def said_of_each(whole: Predicate) -> SaidOfEach | None:
    """What an invariant says of each, by its text; None if it has another form."""
    code = getattr(whole, "__code__", None)
    if code is None or "all" not in code.co_names or "all" in whole.__globals__:
        return None
    function = definition_that_runs(whole)
    if function is None:
        return None
    *leading, last = function.body
    guard, claimed = _guarded(last)
    said = _generator(claimed)
    if said is None or not all(map(_is_leading, leading)):
        return None
    if _changing_names(leading) & _names_in(said):
        return None
    leading += [guard] if guard else []
    assigned = [line for line in leading if not isinstance(line, ast.If)]
    returned = ast.Return(_list_of(said))
    unguarded = with_body(whole, function, [*assigned, returned])
    return SaidOfEach(with_body(whole, function, [*leading, returned]), unguarded)


def _guarded(last: ast.stmt) -> tuple[ast.stmt | None, ast.expr | None]:
    """What the end of an invariant asks before its last part, and that part."""
    match last:
        case ast.Return(value=ast.BoolOp(op=ast.Or(), values=[*first, claimed])):
            test = first[0] if len(first) == 1 else ast.BoolOp(ast.Or(), first)
            return ast.If(test, [ast.Return(ast.Constant(True))], []), claimed
        case ast.Return(value=ast.BoolOp(op=ast.And(), values=[*first, claimed])):
            test = first[0] if len(first) == 1 else ast.BoolOp(ast.And(), first)
            guard = ast.UnaryOp(ast.Not(), test)
            return ast.If(guard, [ast.Return(ast.Constant(False))], []), claimed
        case ast.Return(value=claimed):
            return None, claimed
    return None, None


def _generator(claimed: ast.expr | None) -> ast.GeneratorExp | None:
    """The generator whose values are all claimed to be true."""
    match claimed:
        case ast.Call(
            func=ast.Name("all"), args=[ast.GeneratorExp() as said], keywords=[]
        ):
            return said
    return None


def _is_leading(statement: ast.stmt) -> bool:
    """Tell whether a statement may stand before what is said of each."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name()]):
            return True
        case ast.If(body=[ast.Return(value=ast.Constant())], orelse=[]):
            return True
    return False


def _changing_names(leading: Iterable[ast.stmt]) -> set[str]:
    """The names of what one C may change, and the next one find changed."""
    return {
        target.id
        for statement in leading
        if isinstance(statement, ast.Assign) and not _is_lasting(statement.value)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _is_lasting(value: ast.AST) -> bool:
    """Tell whether nothing can change what an expression gives."""
    match value:
        case ast.Call(func=ast.Name(name)) if name in ANSWERING:
            return True
        case ast.Call(func=ast.Name("sum"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(name), args=arguments) if name in CHOOSING:
            return all(map(_is_lasting, map(_each_of, arguments)))
        case ast.Call(func=ast.Name()) | ast.Lambda():
            return False
    return not isinstance(value, CHANGING) and all(
        map(_is_lasting, ast.iter_child_nodes(value))
    )


def _each_of(value: ast.expr) -> ast.expr:
    """What a generator gives, and other expressions as they are."""
    return value.elt if isinstance(value, ast.GeneratorExp) else value


def _names_in(expression: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def _list_of(said: ast.GeneratorExp) -> ast.ListComp:
    """A list with a function for each value of a generator, which tells that value."""
    names = set().union(*(_names_in(of.target) for of in said.generators))
    tests = [test for of in said.generators for test in of.ifs]
    not_all = [ast.UnaryOp(ast.Not(), test) for test in tests]
    value = ast.BoolOp(ast.Or(), [*not_all, said.elt]) if tests else said.elt
    parameters = [ast.arg(name) for name in sorted(names)]
    now: list[ast.expr] = [ast.Name(name, ast.Load()) for name in sorted(names)]
    arguments = ast.arguments([], parameters, None, [], [], None, now)
    generators = [
        ast.comprehension(of.target, of.iter, [], 0) for of in said.generators
    ]
    return ast.ListComp(ast.Lambda(arguments, value), generators)
