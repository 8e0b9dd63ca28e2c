"""The premises of claims: a claim whose premise never holds says nothing.

An invariant is written premise first: it begins with ``if not P: return True``, as
often as need be, and what follows is claimed where all those P hold. ``return not P or
C`` at its end is the same. So its premise can be read off its text. A step property is
written in the same way; its premise is one of the states before and after. Which cells
it compares first, lest it ask anything of a step that left them alone, is read off its
text, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from attrs import frozen

from replicheck.explorer.interpreter.predicate_text import (
    definition_of,
    definition_that_runs,
    with_body,
)
from replicheck.explorer.model import Predicate
from replicheck.explorer.properties import Kind, Property


class Premises:
    """Which invariants and step properties with a premise ever had to claim anything.

    ``held`` has the name of each one with a premise, and whether that held in a state,
    or in a step, that was shown.
    """

    def __init__(self, properties: Sequence[Property]) -> None:
        self._premises: dict[str, Predicate] = {}
        for claim in properties:
            if claim.kind in (Kind.ALWAYS, Kind.STEP) and claim.predicate is not None:
                premise = premise_of(claim.predicate)
                if premise is not None:
                    self._premises[claim.name] = premise
        self._of_steps = {claim.name for claim in properties if claim.kind is Kind.STEP}
        self.held = dict.fromkeys(self._premises, False)

    def are_open(self, name: str) -> bool:
        """Tell whether a claim has a premise that has not held so far."""
        return not self.held.get(name, True)

    @property
    def names_held(self) -> list[str]:
        """The names of the claims whose premise held."""
        return [name for name, has_held in self.held.items() if has_held]

    def note_held(self, names: Iterable[str]) -> None:
        """Note the claims whose premise was seen to hold, now or in an earlier part."""
        for name in names:
            self.held[name] = True

    def withdraw_steps(self, known: Iterable[str]) -> set[str]:
        """Take back that premises of steps held, but for those known before.

        Returns:
            The names of their claims.
        """
        withdrawn = self._of_steps.intersection(self.names_held).difference(known)
        self.held.update(dict.fromkeys(withdrawn, False))
        return withdrawn

    def show(self, name: str, arguments: Sequence[object], *states: Any) -> None:
        """Look at a state, or at the two of a step, of which an instance is judged."""
        if self.are_open(name) and self.holds(name, arguments, *states):
            self.held[name] = True

    def holds(self, name: str, arguments: Sequence[object], *states: Any) -> bool:
        """Tell whether a premise holds in a state, or in the two of a step."""
        premise = self._premises.get(name)
        if premise is None:
            return False
        try:
            return bool(premise(*states, *arguments))
        except Exception:
            # The claim raises in the same place, and the search says so.
            return False


@cache
def premise_of(predicate: Predicate) -> Predicate | None:
    """The premise of a claim with the same parameters, if it has one."""
    function = definition_of(predicate)
    if function is None:
        return None
    leading = _leading(function.body)
    if leading is None:
        return None
    return with_body(predicate, function, [*leading, ast.Return(ast.Constant(True))])


@frozen
class FirstComparison:
    """What a step property asks first, where it is true of what a step left alone.

    ``fields`` are those of which it compares a cell, ``asked`` the comparison itself,
    as a predicate with the same parameters.
    """

    fields: frozenset[str]
    asked: Predicate


@cache
def comparison_of(predicate: Predicate) -> FirstComparison | None:
    """FirstComparison with which a step property begins, by its text, if it begins so.

    It is ``if after.x is before.x: return True``, or ``return after.x is before.x or
    …``, where ``x`` is a field, or a path of indices and fields within one; several of
    these can be joined by ``and``, and ``==`` can stand for ``is``.
    """
    function = definition_that_runs(predicate)
    if function is None:
        return None
    first, *others = function.body
    if isinstance(first, ast.Expr) and others:
        first = others[0]
    match first:
        case ast.If(test=test, body=[ast.Return(value=ast.Constant(value=True))]):
            pass
        case ast.Return(value=ast.BoolOp(op=ast.Or(), values=[test, *_])):
            pass
        case _:
            return None
    tests = [test]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        tests = test.values
    states = {argument.arg for argument in function.args.args[:2]}
    fields = [_compared_field(comparison, states) for comparison in tests]
    if not all(fields):
        return None
    return FirstComparison(
        frozenset(fields), with_body(predicate, function, [ast.Return(test)])
    )


def _compared_field(test: ast.expr, states: set[str]) -> str:
    """Field of which an expression compares one path of two states; empty if none."""
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[right]):
            (first, path), (second, other) = _path(left), _path(right)
            is_of_states = {first, second} == states
            if is_of_states and path == other and not states & _names_in(path):
                return path[-1].removeprefix(".") if path else ""
    return ""


def _path(expression: ast.expr) -> tuple[str, list[str]]:
    """The name with which a path begins, and its fields and indices, the last first."""
    path: list[str] = []
    while True:
        match expression:
            case ast.Attribute(value=inner, attr=field):
                path.append(f".{field}")
            case ast.Subscript(value=inner, slice=index):
                path.append(ast.unparse(index))
            case ast.Name(id=name):
                return name, path
            case _:
                return "", path
        expression = inner


def _names_in(path: list[str]) -> set[str]:
    """The names that the indices of a path mention."""
    indices = [part for part in path if not part.startswith(".")]
    return {
        node.id
        for index in indices
        for node in ast.walk(ast.parse(index, mode="eval"))
        if isinstance(node, ast.Name)
    }


def _leading(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements that ask for the premise; they return False without it."""
    kept: list[ast.stmt] = []
    asked = 0
    for statement in body:
        guard = _guard(statement)
        if guard is not None:
            kept.append(guard)
            asked = len(kept)
        elif isinstance(statement, ast.Assign | ast.Assert | ast.Expr):
            kept.append(statement)
        else:
            break
    return kept[:asked] or None


def _guard(statement: ast.stmt) -> ast.stmt | None:
    """A guard, ``if not P: return False``, of a statement that holds without P."""
    match statement:
        case ast.If(
            test=test, body=[ast.Return(value=ast.Constant(value=True))], orelse=[]
        ):
            return ast.If(test, [ast.Return(ast.Constant(False))], [])
        case ast.Return(
            value=ast.BoolOp(
                op=ast.Or(), values=[ast.UnaryOp(op=ast.Not()) as test, *_]
            )
        ):
            return ast.If(test, [ast.Return(ast.Constant(False))], [])
    return None
