"""Names in the text of a function: where they get a value, and which one is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
Parents = Mapping[ast.AST, ast.AST]
"""The node above each node of a tree."""


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names to which something within these nodes gives a value."""
    found: set[str | None] = set()
    for node in nodes:
        for part in ast.walk(node):
            match part:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.arg(arg=name) | ast.MatchMapping(rest=name):
                    found.add(name)
                case ast.MatchAs(name=name) | ast.MatchStar(name=name):
                    found.add(name)
                case ast.ExceptHandler(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found.add(name)
                case ast.alias(name=name, asname=new_name):
                    found.add(new_name or name.partition(".")[0])
    return frozenset(name for name in found if name)


def names_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names within these nodes."""
    parts = (part for node in nodes for part in ast.walk(node))
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def named_by_assignments(node: ast.AST) -> frozenset[str]:
    """The names to which expressions within a node give a value by ``:=``."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
    return stored_names(part.target for part in parts)


def shared_names(node: ast.AST, parents: Parents) -> frozenset[str]:
    """The names around a node that a function gives a value for another one."""
    found: set[str] = set()
    for function in _functions_around(node, parents)[-1:]:
        for part in ast.walk(function):
            if isinstance(part, ast.Global | ast.Nonlocal):
                found.update(part.names)
    return frozenset(found)


def is_read_unbound(names: frozenset[str], node: ast.AST, parents: Parents) -> bool:
    """Tell whether a name may be read where it was not just given a value.

    It was just given one in the body of a loop over it, in a `case` with it in the
    pattern, and in a function with a parameter of that name.

    Args:
        node: the function around it, or a part of that; all of the function is meant.
    """
    return any(
        isinstance(part, ast.Name)
        and part.id in names
        and isinstance(part.ctx, ast.Load)
        and not _is_bound(part, scope, parents)
        for scope in _functions_around(node, parents)[:1]
        for part in ast.walk(scope)
    )


def _functions_around(node: ast.AST, parents: Parents) -> list[ast.AST]:
    """The functions around a node, the innermost first."""
    found: list[ast.AST] = []
    while node in parents:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found.append(node)
        node = parents[node]
    return found


def _is_bound(name: ast.Name, scope: ast.AST, parents: Parents) -> bool:
    node: ast.AST = name
    while parents[node] is not scope:
        below, node = node, parents[node]
        if name.id in stored_names(_bound_for(node, below)):
            return True
    return False


def _bound_for(node: ast.AST, below: ast.AST) -> list[ast.AST]:
    """What gets a value in a node before what is below it is evaluated."""
    match node:
        case ast.For(target=target, body=body) if below in body:
            return [target]
        case ast.comprehension(target=target, ifs=tests) if below in tests:
            return [target]
        case ast.match_case(pattern=pattern) if below is not pattern:
            return [pattern]
        case ast.Lambda(args=arguments, body=body) if below is body:
            return [arguments]
        case ast.FunctionDef(args=arguments, body=body) if below in body:
            return [arguments]
        case _ if isinstance(node, Comprehension):
            if not isinstance(below, ast.comprehension):
                return [generator.target for generator in node.generators]
    return []
