"""Names in the text of a function: where they get a value, and which one is read."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
Functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NEW = (ast.List, ast.Set, ast.ListComp, ast.SetComp, ast.Call)
"""Expressions that may give what can be changed, and that has no other name."""
Parents = Mapping[ast.AST, ast.AST]
"""The node above each node of a tree."""


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names to which something within these nodes gives a value."""
    parts = (part for node in nodes for part in ast.walk(node))
    return frozenset(name for part in parts if (name := _stored_by(part)))


def assigned_names(node: ast.AST) -> frozenset[str]:
    """The names of a function's own to which something in a node gives a value.

    Those that only a comprehension or a lambda has are not among them.
    """
    name = _stored_by(node)
    found = frozenset({name} if name else ())
    return found.union(*map(assigned_names, _children_in_scope(node)))


def _children_in_scope(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        match node:
            case ast.comprehension(target=own) | ast.Lambda(args=own) if child is own:
                pass
            case _:
                yield child


def _stored_by(part: ast.AST) -> str | None:
    """The name to which a part of a text gives a value by itself, if it does."""
    match part:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.arg(arg=name) | ast.MatchMapping(rest=name):
            return name
        case ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.ExceptHandler(name=name) | ast.ClassDef(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.alias(name=name, asname=new_name):
            return new_name or name.partition(".")[0]
    return None


def names_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names within these nodes."""
    parts = (part for node in nodes for part in ast.walk(node))
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def names_from_outside(loop: ast.For) -> frozenset[str]:
    """The names within a loop to which it gives no value."""
    return names_in([loop]) - assigned_names(loop)


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


def names_of_others(node: ast.AST, parents: Parents) -> frozenset[str]:
    """The names to which the functions around that of a node give a value.

    Those of their parameters are not among them, unless they get another value.
    """
    found: set[str] = set()
    for function in _functions_around(node, parents)[1:]:
        parts = [*ast.iter_child_nodes(function)]
        while parts:
            part = parts.pop()
            if not isinstance(part, ast.arguments):
                found.update(filter(None, [_stored_by(part)]))
            if not isinstance(part, ast.arguments | Functions):
                parts += ast.iter_child_nodes(part)
    return frozenset(found)


def asked_names(node: ast.AST, parents: Parents) -> dict[str, ast.expr]:
    """The names that a function gives a value once, and then asks what that has.

    Returns:
        By name what gives the value: a display, a comprehension, or a call. Nothing in
        the function changes it by that name, nor gives a name in it another value.
    """
    functions = _functions_around(node, parents)
    stored = Counter[str]()
    if len(functions) != 1 or not isinstance(functions[0], ast.FunctionDef):
        return {}
    function, given, others = functions[0], dict[str, ast.expr](), set[str]()
    for part in ast.walk(function):
        stored.update(filter(None, [_stored_by(part)]))
        match part:
            case ast.Name(id=name) if _is_asked(part, parents):
                pass
            case ast.Name(id=name) | ast.arg(arg=name):
                match parents[part]:
                    case ast.Assign(targets=[ast.Name()], value=value) if (
                        name not in given and isinstance(value, NEW)
                    ):
                        given[name] = value
                    case _:
                        others.add(name)
            case _:
                others.update(filter(None, [_stored_by(part)]))
    return {
        name: value
        for name, value in given.items()
        if name not in others and all(stored[of] <= 1 for of in names_in([value]))
    }


def _is_asked(name: ast.Name, parents: Parents) -> bool:
    """Tell whether a name stands behind the `in` of a test."""
    match parents[name]:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return asked is name
    return False


def is_read_unbound(names: frozenset[str], node: ast.AST, parents: Parents) -> bool:
    """Tell whether a name may be read where it was not just given a value.

    Args:
        node: the function around it, or a part of that; all of the function is meant.
    """
    scopes = _functions_around(node, parents)[:1]
    return any(True for scope in scopes for _ in unbound_reads(names, scope, parents))


def unbound_reads(
    names: frozenset[str], scope: ast.AST, parents: Parents
) -> Iterator[ast.Name]:
    """Yield where a function may read a name that was not just given a value.

    It was just given one in the body of a loop over it, in a `case` with it in the
    pattern, and in a function with a parameter of that name.
    """
    for part in ast.walk(scope):
        match part:
            case ast.Name(id=name, ctx=ast.Load()) if name in names:
                if not _is_bound(part, scope, parents):
                    yield part


def unbound_uses(
    names: frozenset[str], scope: ast.AST, parents: Parents
) -> Iterator[ast.Name]:
    """Yield where a function may read, change or delete a name, as `unbound_reads`."""
    yield from unbound_reads(names, scope, parents)
    for part in ast.walk(scope):
        match part:
            case ast.AugAssign(target=ast.Name(id=name) as target) if name in names:
                yield target
            case ast.Name(id=name, ctx=ast.Del()) if name in names:
                yield part


def nodes_around(node: ast.AST, parents: Parents) -> list[ast.AST]:
    """The nodes around one, the innermost first."""
    found: list[ast.AST] = []
    while node in parents:
        node = parents[node]
        found.append(node)
    return found


def _functions_around(node: ast.AST, parents: Parents) -> list[ast.AST]:
    """The functions around a node, the innermost first."""
    nodes = (node, *nodes_around(node, parents))
    return [around for around in nodes if isinstance(around, Functions)]


def _is_bound(name: ast.Name, scope: ast.AST, parents: Parents) -> bool:
    node: ast.AST = name
    while parents[node] is not scope:
        below, node = node, parents[node]
        if name.id in stored_names(bound_for(node, below)):
            return True
    return False


def bound_for(node: ast.AST, below: ast.AST) -> list[ast.AST]:
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
            generators = node.generators
            before = generators.index(below) if below in generators else None
            return [generator.target for generator in generators[:before]]
    return []
