"""First values: whether a loop gives each of its names a value before it reads it.

If so, what it does for one item reads nothing that it did for another one, whatever
loop is around it. And what another loop does, whose names are called the same, reads
nothing that it did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import pairwise

from replicheck.explorer.proxies.loops.loop_names import (
    Parents,
    assigned_names,
    bound_for,
    named_by_assignments,
    nodes_around,
    stored_names,
    unbound_uses,
)

SIMPLE = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr),
    *(ast.Assert, ast.Raise, ast.Return, ast.Pass, ast.Continue, ast.Break),
)
ENDS = (ast.Continue, ast.Raise, ast.Return, ast.Break)
"""Statements behind which there is nothing to do."""
LATER = (ast.Lambda, ast.GeneratorExp)
"""Expressions of which parts are evaluated later, or never."""
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


def keeps_its_values(
    loop: ast.For, definition: ast.FunctionDef, parents: Parents
) -> bool:
    """Tell whether what a loop gives its names for an item is read only for that."""
    if not gives_values_first(loop):
        return False
    names, around = assigned_names(loop), nodes_around(loop, parents)
    inside_out = pairwise([loop, *around])
    heads = [head for below, node in inside_out for head in bound_for(node, below)]
    if names & stored_names(heads):
        return False
    for used in unbound_uses(names, definition, parents):
        nodes = nodes_around(used, parents)
        if loop not in nodes and not _is_given_apart(used.id, nodes, around):
            return False
    return True


def _is_given_apart(
    name: str, nodes: Sequence[ast.AST], around: Sequence[ast.AST]
) -> bool:
    """Tell whether a name has a value of a loop that is not around another one.

    What is evaluated later than it is written might read a value that came meanwhile.

    Args:
        nodes: those around the name, the innermost first.
        around: those around the other loop.
    """
    for below, node in pairwise(nodes):
        if isinstance(below, LATER) or node in around:
            return False
        match node:
            case ast.For(body=body) if below in body and name in assigned_names(node):
                if gives_values_first(node):
                    return True
    return False


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
