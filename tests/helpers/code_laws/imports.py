"""Laws of imports: neither modules nor folders import one another in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import networkx

from code_laws.source import Module, Offence


def relative_imports(modules: Sequence[Module]) -> Iterator[Offence]:
    """Imports that start with a dot; the graph of imports would miss them."""
    for module in modules:
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.ImportFrom) and node.level:
                at = f"{module.path}:{node.lineno}"
                yield Offence(str(module.path), f"{at}: {ast.unparse(node)}")


def module_cycles(modules: Sequence[Module]) -> Iterator[Offence]:
    """Modules that import one another in a circle, inside functions included."""
    return _circles((m.name, imported.name) for m, imported in _imports(modules))


def folder_cycles(modules: Sequence[Module]) -> Iterator[Offence]:
    """Folders that import one another in a circle.

    A folder and those below it are one: what all of them share lies above them.
    """
    return _circles(
        (m.folder, imported.folder)
        for m, imported in _imports(modules)
        if not _is_below(m, imported) and not _is_below(imported, m)
    )


def _circles(edges: Iterator[tuple[str, str]]) -> Iterator[Offence]:
    graph = networkx.DiGraph(edges)
    for circle in networkx.strongly_connected_components(graph):
        if len(circle) > 1:
            names = ", ".join(sorted(circle))
            yield Offence(names, f"in a circle: {names}")


def _is_below(module: Module, above: Module) -> bool:
    return module.path.is_relative_to(above.path.parent)


def _imports(modules: Sequence[Module]) -> Iterator[tuple[Module, Module]]:
    by_name = {module.name: module for module in modules}
    for module in modules:
        for name in _imported_names(module):
            parent = name.rpartition(".")[0]
            imported = by_name.get(name) or by_name.get(parent)
            if imported is not None:
                yield module, imported


def _imported_names(module: Module) -> Iterator[str]:
    """``from a import b`` gives ``a.b``, which may or may not be a module."""
    for node in ast.walk(module.syntax):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
