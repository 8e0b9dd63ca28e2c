"""Loops in claims: what names mean in them, what may change, which go over cells.

``all(C for v in s.values)`` reads each cell to know what it goes through. So it is
taken for ``all(C for i in range(len(s.values)))``, with ``s.values[i]`` for each ``v``;
and so is ``enumerate(s.values)``. The new text raises if that is no tuple.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from attrs import frozen

ANSWERING = frozenset({"abs", "all", "any", "bool", "frozenset", "int", "len", "range"})
"""Functions of Python that give what nothing changes, whatever they are given."""
CHOOSING = frozenset({"max", "min", "tuple"})
"""Functions that give something of what they are given."""
NAMES_OF_PYTHON = ANSWERING | CHOOSING | {"enumerate", "isinstance", "sum"}
"""Names that have to mean what they mean in Python."""
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


def names_in(*parts: ast.AST) -> set[str]:
    """The names that are mentioned in parts of a text."""
    nodes = (node for part in parts for node in ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def are_apart(loops: Sequence[ast.For]) -> bool:
    """Tell whether no turn finds in a name what another turn has put there.

    Where a turn reads a name before it puts something there, its function raises.
    """
    nests = list(map(nest_of, loops))
    targets = [names_in(*(loop.target for loop in nest)) for nest in nests]
    changed = [_assigned_names(nest[-1].body) for nest in nests]
    listed = names_in(*(loop.iter for nest in nests for loop in nest))
    if set().union(*changed) & listed.union(*targets):
        return False
    for number, nest in enumerate(nests):
        read = names_in(*nest[-1].body) - changed[number] - targets[number]
        others = (*changed[:number], *changed[number + 1 :])
        if read & set().union(*others, *targets):
            return False
    return True


def _assigned_names(body: Sequence[ast.stmt]) -> set[str]:
    nodes = (node for statement in body for node in ast.walk(statement))
    return {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def changing_names(leading: Sequence[ast.stmt]) -> set[str]:
    """The names of what one C may change, and the next one find changed."""
    found: set[str] = set()
    for statement in leading:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                if not _is_lasting(value) or names_in(value) & found:
                    found.add(name)
    return found


def _is_lasting(value: ast.AST) -> bool:
    """Tell whether nothing can change what an expression gives."""
    match value:
        case ast.Call(func=ast.Name(name)) if name in ANSWERING:
            return True
        case ast.Call(func=ast.Name("sum"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(name), args=arguments) if name in CHOOSING:
            return all(map(_is_lasting, map(_each_of, arguments)))
        case ast.Call() | ast.Lambda():
            return False
    return not isinstance(value, CHANGING) and all(
        map(_is_lasting, ast.iter_child_nodes(value))
    )


def gives_lasting(iterated: ast.expr) -> bool:
    """Tell whether nothing can change what an expression has in it."""
    match iterated:
        case ast.Call(func=ast.Name(), args=arguments):
            return all(map(gives_lasting, arguments))
        case ast.List() | ast.Set() | ast.GeneratorExp() | ast.ListComp():
            return all(map(_is_lasting, ast.iter_child_nodes(iterated)))
    return not any(isinstance(node, CHANGING) for node in ast.walk(iterated))


def _each_of(value: ast.expr) -> ast.expr:
    """What a generator gives, and other expressions as they are."""
    return value.elt if isinstance(value, ast.GeneratorExp) else value


class AsWritten:
    """Leaves loops as they are."""

    def change_generator(self, said: ast.GeneratorExp) -> None:
        """Change the loops of a generator."""

    def change_loops(self, loops: Sequence[ast.For]) -> None:
        """Change loops that stand one behind another."""


class CellsByIndex(AsWritten):
    """Lets loops go over indices where they go over what may be a tuple of cells."""

    def change_generator(self, said: ast.GeneratorExp) -> None:
        """Change the loops of a generator."""
        cells: dict[str, ast.expr] = {}
        for place, of in enumerate(said.generators):
            others = [other.iter for other in said.generators if other is not of]
            found = _loop_over_cells(of.target, of.iter, place)
            if found is not None and found.name not in names_in(*others):
                of.target, of.iter = found.index, found.indices
                cells[found.name] = found.cell
        for of in said.generators:
            of.ifs = [_with_cells(test, cells) for test in of.ifs]
        said.elt = _with_cells(said.elt, cells)

    def change_loops(self, loops: Sequence[ast.For]) -> None:
        """Change loops that stand one behind another."""
        for place, loop in enumerate(loops):
            others = [loop.iter, *(other for other in loops if other is not loop)]
            inner = nest_of(loop)[-1]
            found = _loop_over_cells(inner.target, inner.iter, place)
            if found is not None and found.name not in names_in(*others):
                inner.target, inner.iter = found.index, found.indices
                named = ast.Name(found.name, ast.Store())
                inner.body.insert(0, ast.Assign([named], found.cell))


@frozen
class _LoopOverCells:
    """A loop over a tuple, with names for an index and for what is there."""

    name: str
    index_name: str
    family: ast.expr

    @property
    def index(self) -> ast.expr:
        """The name of an index, for which the loop goes."""
        return ast.Name(self.index_name, ast.Store())

    @property
    def cell(self) -> ast.expr:
        """What is at an index."""
        index = ast.Name(self.index_name, ast.Load())
        return ast.Subscript(self.family, index, ast.Load())

    @property
    def indices(self) -> ast.expr:
        """All indices; 0, over which nothing can go, if it is no tuple."""
        family = ast.unparse(self.family)
        text = f"range(len({family})) if isinstance({family}, tuple) else 0"
        return ast.parse(text, mode="eval").body


def nest_of(loop: ast.For) -> list[ast.For]:
    """A loop, the one that it is there for if it does nothing else, and so on."""
    match loop.body:
        case [ast.For() as inner]:
            return [loop, *nest_of(inner)]
    return [loop]


def _loop_over_cells(
    target: ast.expr, iterated: ast.expr, place: int
) -> _LoopOverCells | None:
    """The loop, if it goes over a name or a path, such as ``s.rows[n]``."""
    match target, iterated:
        case ast.Name(name), family:
            index = f".index{place}"
        case (
            ast.Tuple(elts=[ast.Name(index), ast.Name(name)]),
            ast.Call(func=ast.Name("enumerate"), args=[family], keywords=[]),
        ):
            pass
        case _:
            return None
    is_path = isinstance(family, ast.Attribute | ast.Name | ast.Subscript)
    return _LoopOverCells(name, index, family) if is_path else None


def _with_cells(said: ast.expr, cells: Mapping[str, ast.expr]) -> ast.expr:
    """An expression in which some names are cells."""
    names = sorted(names_in(said) & cells.keys())
    if not names:
        return said
    parameters = [ast.arg(name) for name in names]
    function = ast.Lambda(ast.arguments([], parameters, None, [], [], None, []), said)
    return ast.Call(function, [cells[name] for name in names], [])
