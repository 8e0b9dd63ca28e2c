"""Loops over the cells of a tuple as loops over their indices.

``all(C for v in s.values)`` reads each cell to know what it goes through. So it is
taken for ``all(C for i in range(len(s.values)))``, with ``s.values[i]`` for each ``v``;
and so is ``enumerate(s.values)``. The new text raises if that is no tuple.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from attrs import frozen

NAMES_OF_PYTHON = frozenset({"enumerate", "isinstance", "len", "range", "tuple"})
"""Names that have to mean what they mean in Python."""


def names_in(*parts: ast.AST) -> set[str]:
    """The names that are mentioned in parts of a text."""
    nodes = (node for part in parts for node in ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


@frozen
class CellsByIndex:
    """What changes loops over the cells of a state; it is the name of a parameter."""

    state: str

    def change_generator(self, said: ast.GeneratorExp) -> None:
        """Let the loops of a generator go over indices where they go over cells."""
        cells: dict[str, ast.expr] = {}
        for place, of in enumerate(said.generators):
            others = [other.iter for other in said.generators if other is not of]
            found = self._found(of.target, of.iter, place)
            if found is not None and found.name not in names_in(*others):
                of.target, of.iter = found.index, found.indices
                cells[found.name] = found.cell
        for of in said.generators:
            of.ifs = [_with_cells(test, cells) for test in of.ifs]
        said.elt = _with_cells(said.elt, cells)

    def change_loops(self, loops: Sequence[ast.For]) -> None:
        """Let loops that stand one behind another go over indices, too."""
        for place, loop in enumerate(loops):
            others = [other for other in loops if other is not loop]
            found = self._found(loop.target, loop.iter, place)
            if found is not None and found.name not in names_in(*others):
                loop.target, loop.iter = found.index, found.indices
                named = ast.Name(found.name, ast.Store())
                loop.body.insert(0, ast.Assign([named], found.cell))

    def _found(
        self, target: ast.expr, iterated: ast.expr, place: int
    ) -> _LoopOverCells | None:
        match target, iterated:
            case ast.Name(name), ast.Attribute(value=ast.Name(state)) as family:
                index = f".index{place}"
            case (
                ast.Tuple(elts=[ast.Name(index), ast.Name(name)]),
                ast.Call(
                    func=ast.Name("enumerate"),
                    args=[ast.Attribute(value=ast.Name(state)) as family],
                    keywords=[],
                ),
            ):
                pass
            case _:
                return None
        return _LoopOverCells(name, index, family) if state == self.state else None


@frozen
class _LoopOverCells:
    """A loop over a field of the state, with names for an index and what is there."""

    name: str
    index_name: str
    family: ast.expr

    @property
    def index(self) -> ast.expr:
        return ast.Name(self.index_name, ast.Store())

    @property
    def cell(self) -> ast.expr:
        index = ast.Name(self.index_name, ast.Load())
        return ast.Subscript(self.family, index, ast.Load())

    @property
    def indices(self) -> ast.expr:
        family = ast.unparse(self.family)
        text = f"range(len({family})) if isinstance({family}, tuple) else 0"
        return ast.parse(text, mode="eval").body


def _with_cells(said: ast.expr, cells: Mapping[str, ast.expr]) -> ast.expr:
    """An expression in which some names are cells."""
    names = sorted(names_in(said) & cells.keys())
    if not names:
        return said
    parameters = [ast.arg(name) for name in names]
    function = ast.Lambda(ast.arguments([], parameters, None, [], [], None, []), said)
    return ast.Call(function, [cells[name] for name in names], [])
