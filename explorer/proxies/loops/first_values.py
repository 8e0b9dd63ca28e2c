"""First values: whether a loop gives each of its names a value before it reads it.

If so, what it does for one item reads nothing that it did for another one, whatever
loop is around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from replicheck.explorer.proxies.loops.loop_names import (
    assigned_names,
    named_by_assignments,
    stored_names,
)

SIMPLE = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr),
    *(ast.Assert, ast.Raise, ast.Pass, ast.Continue, ast.Break),
)
ENDS = (ast.Continue, ast.Raise, ast.Break)
"""Statements behind which there is nothing to do."""
Names = frozenset[str]


class _ReadsEarlier(Exception):
    """A name may be read that has no value of this item."""


def gives_values_first(loop: ast.For) -> bool:
    """Tell whether a loop reads no name that only an earlier item gave a value.

    Nor does what it iterates, where the loop begins again.
    """
    names = assigned_names(loop)
    if named_by_assignments(loop):
        return False
    try:
        body = _Body(names)
        body.read(loop.iter, frozenset())
        body.after(loop.body, stored_names([loop.target]))
    except _ReadsEarlier:
        return False
    return True


class _Body:
    """The statements of a loop, in the order in which they run."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def after(self, body: Iterable[ast.stmt], given: Names) -> Names:
        """The names with a value behind some statements; all if nothing is behind.

        Args:
            given: those with a value before them.

        Raises:
            _ReadsEarlier: if another name may be read.
        """
        for statement in body:
            given = self._after_one(statement, given)
            if isinstance(statement, ENDS):
                return self._names
        return given

    def _after_one(self, statement: ast.stmt, given: Names) -> Names:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self.read(test, given)
                return self.after(body, given) & self.after(orelse, given)
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                self.read(iterated, given)
                self.after(body, given | stored_names([target]))
                self.after(orelse, given)
                return given
            case ast.While(test=test, body=body, orelse=orelse):
                self.read(test, given)
                self.after(body, given)
                self.after(orelse, given)
                return given
            case ast.Match(subject=subject, cases=cases):
                self.read(subject, given)
                for case in cases:
                    bound = given | stored_names([case.pattern])
                    self.read(case.pattern, given)
                    self.read(case.guard, bound)
                    self.after(case.body, bound)
                return given
            case ast.AnnAssign(value=None):
                return given
            case _ if isinstance(statement, SIMPLE):
                self.read(statement, given)
                if isinstance(statement, ast.AugAssign):
                    self._require(stored_names([statement.target]), given)
                return given | assigned_names(statement)
        raise _ReadsEarlier

    def read(self, node: ast.AST | None, given: Names) -> None:
        """Read the names in a node.

        Raises:
            _ReadsEarlier: if one of them may have no value.
        """
        parts = () if node is None else ast.walk(node)
        loaded = (
            part.id
            for part in parts
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        )
        self._require(frozenset(loaded) & self._names, given)

    def _require(self, names: Names, given: Names) -> None:
        if not names <= given:
            raise _ReadsEarlier
