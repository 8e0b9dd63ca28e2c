"""The premises of claims: a claim whose premise never holds says nothing.

An invariant is written premise first: it begins with ``if not P: return True``, as
often as need be, and what follows is claimed where all those P hold. ``return not P or
C`` at its end is the same. So its premise can be read off its text. A step property is
written in the same way; its premise is one of the states before and after.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from replicheck.explorer.model import Predicate
from replicheck.explorer.properties import Kind, Property

FLAGS = __future__.annotations.compiler_flag


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


def premise_of(predicate: Predicate) -> Predicate | None:
    """The premise of a claim with the same parameters, if it has one."""
    function = _definition(predicate)
    if function is None:
        return None
    leading = _leading(function.body)
    if leading is None:
        return None
    function.body = [*leading, ast.Return(ast.Constant(True))]
    function.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = compile(module, f"<premise of {predicate.__name__}>", "exec", FLAGS, True)
    names: dict[str, Any] = {}
    exec(code, predicate.__globals__, names)
    premise: Predicate = names[function.name]
    return premise


def _definition(predicate: Predicate) -> ast.FunctionDef | None:
    """The text of a plain function as a tree."""
    if getattr(predicate, "__closure__", None) or not hasattr(predicate, "__globals__"):
        return None
    code = predicate.__code__
    lines = linecache.getlines(code.co_filename, predicate.__globals__)
    # `inspect.getsource` would look through all modules, for each predicate, and what
    # it finds the end with compiles expressions that take longer than the rest.
    last = max(end or 0 for _, end, _, _ in code.co_positions())
    text = "".join(lines[code.co_firstlineno - 1 : last or None])
    try:
        body = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return None
    return body[0] if body and isinstance(body[0], ast.FunctionDef) else None


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
