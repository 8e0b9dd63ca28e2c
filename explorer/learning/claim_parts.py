"""Parts of claims: what an invariant says of all, said of some by each part.

An invariant that ends in ``return all(C for x in XS)`` is learned by what it reads, and
reads all that any C does. So there may be as many answers to tell apart as states. A
part reads what some of the C do: those that read the same cells. Where these are true
the part holds, and else it is the invariant itself. So the invariant holds where all
parts do, and what breaks it, or raises, is its own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, wraps
from typing import Any

from attrs import evolve, frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.interpreter.predicate_text import (
    definition_that_runs,
    with_body,
)
from replicheck.explorer.model import Predicate
from replicheck.explorer.proxies.calls import QuestionRaised
from replicheck.explorer.proxies.probes import HasRead, NotingReader, RefusingReader
from replicheck.explorer.proxies.state_proxy import StateProxy

MOST_PARTS = 16
"""Parts of an instance at most."""


class ClaimParts:
    """What divides invariants into parts.

    Args:
        proxy: of states.
        start: the values of a state, in which to look what each C reads. It is a hint.
    """

    def __init__(self, proxy: type[StateProxy], start: Sequence[Any]) -> None:
        self._unread, self._start = proxy(RefusingReader()), start
        self._proxy = proxy

    def of(self, instance: Instance) -> list[Instance]:
        """The parts of an instance of an invariant; the instance alone if it has none.

        It has none if what it goes through depends on more than constants of the state.
        """
        whole = instance.function
        said = _said_of_each(whole)
        groups = [] if said is None else self._groups(said.unguarded, instance.values)
        if said is None or len(groups) < 2:
            return [instance]
        count = sum(map(len, groups))
        parts = (_part(whole, said.listed, group, count) for group in groups)
        return [evolve(instance, function=part) for part in parts]

    def _groups(
        self, unguarded: Predicate, arguments: Sequence[object]
    ) -> list[list[int]]:
        """The numbers of each C, those together that read the same; none if unfit."""
        reader = NotingReader(self._start)
        columns = []
        try:
            unguarded(self._unread, *arguments)
            listed: Any = unguarded(self._proxy(reader), *arguments)
        except (Exception, HasRead):
            return []
        for holds_of_one in listed:
            reader.columns = set()
            with suppress(Exception):
                holds_of_one()
            columns.append(reader.columns)
        return _together(columns)


def _together(columns: Sequence[set[int]]) -> list[list[int]]:
    """The numbers of those that read the same cells, or no other ones than these."""
    groups: list[tuple[set[int], list[int]]] = []
    for number in sorted(range(len(columns)), key=lambda n: -len(columns[n])):
        for known, numbers in groups:
            if columns[number] <= known:
                numbers.append(number)
                break
        else:
            groups.append((columns[number], [number]))
    parts: list[list[int]] = [[] for _ in groups[:MOST_PARTS]]
    for place, (_, numbers) in enumerate(groups):
        parts[place % MOST_PARTS] += numbers
    return parts


def _part(
    whole: Predicate, listed: Predicate, numbers: Sequence[int], count: int
) -> Predicate:
    """The part of an invariant that says the ones with some numbers, of so many."""

    @wraps(whole)
    def part(*arguments: Any) -> Any:
        try:
            found: Any = listed(*arguments)
            if isinstance(found, list):
                holds = len(found) == count and all(found[n]() for n in numbers)
            else:
                holds = bool(found)
        except (Exception, QuestionRaised):
            holds = False
        return holds or whole(*arguments)

    return part


@frozen
class _SaidOfEach:
    """Functions that list what an invariant says of each, as functions of nothing.

    ``listed`` first asks what the invariant asks before, and returns what it would if
    that is enough; ``unguarded`` does not ask.
    """

    listed: Predicate
    unguarded: Predicate


@cache
def _said_of_each(whole: Predicate) -> _SaidOfEach | None:
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
    leading += [guard] if guard else []
    assigned = [line for line in leading if not isinstance(line, ast.If)]
    returned = ast.Return(_list_of(said))
    unguarded = with_body(whole, function, [*assigned, returned])
    return _SaidOfEach(with_body(whole, function, [*leading, returned]), unguarded)


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


def _list_of(said: ast.GeneratorExp) -> ast.ListComp:
    """A list with a function for each value of a generator, which tells that value."""
    names = {
        node.id
        for generator in said.generators
        for node in ast.walk(generator.target)
        if isinstance(node, ast.Name)
    }
    tests = [test for generator in said.generators for test in generator.ifs]
    not_all = [ast.UnaryOp(ast.Not(), test) for test in tests]
    value = ast.BoolOp(ast.Or(), [*not_all, said.elt]) if tests else said.elt
    parameters = [ast.arg(name) for name in sorted(names)]
    now: list[ast.expr] = [ast.Name(name, ast.Load()) for name in sorted(names)]
    arguments = ast.arguments([], parameters, None, [], [], None, now)
    generators = [
        ast.comprehension(generator.target, generator.iter, [], 0)
        for generator in said.generators
    ]
    return ast.ListComp(ast.Lambda(arguments, value), generators)
