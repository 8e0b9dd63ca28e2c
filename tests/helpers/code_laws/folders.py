"""Laws of folders: how many modules, of which size and which names."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from code_laws.source import Module, Offence

MOST_MODULES = 12
MOST_LINES = 300
CONVENTIONAL_NAMES = frozenset({"bounds", "errors", "protocols", "state"})
"""Modules that are found under the same name in several folders, as readers expect."""
NAMES_OF_ENGINES = frozenset({"engine", "search"})
NAMES_OF_MODELS = frozenset(
    {"describer", "properties", "safety", "steps", "system", "witnesses"}
)
REPEATABLE = CONVENTIONAL_NAMES | NAMES_OF_ENGINES | NAMES_OF_MODELS
COMMANDS = "cli/commands"
"""A command's module is named as the command, such as ``trace show``."""
MODELS = ("model", "invariants")
"""In these each protocol family has a folder, and speaks of brokers of its own."""
PUBLIC_PACKAGE = "model/modelling/public"
"""Users import ``replicheck.modelling``, which has no module of its own."""
PARTS_OF_A_MODEL = ("cells", "mutations", "versions")
"""Their modules are named as those that work with the cell, or that they change."""


def crowded_folders(modules: Sequence[Module]) -> Iterator[Offence]:
    """Folders with more than 12 modules."""
    counts = Counter(module.folder for module in modules if not module.is_init)
    for folder, count in counts.items():
        if count > MOST_MODULES:
            yield Offence(folder, f"{folder} has {count} modules")


def long_modules(modules: Sequence[Module]) -> Iterator[Offence]:
    """Modules with more than 300 lines."""
    for module in modules:
        lines = len(module.text.splitlines())
        if lines > MOST_LINES:
            yield Offence(str(module.path), f"{module.path} has {lines} lines")


def repeated_module_names(modules: Sequence[Module]) -> Iterator[Offence]:
    """Modules of one top folder that share a name."""
    scope_of = _scopes(modules)
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in modules:
        if not module.is_init and not module.folder.startswith(COMMANDS):
            parts = [part for part in PARTS_OF_A_MODEL if part in module.path.parts]
            scope = "/".join((scope_of(module), *parts))
            places[scope, module.path.stem].append(str(module.path))
    for (scope, name), paths in places.items():
        if len(paths) > 1 and name not in REPEATABLE:
            yield Offence(f"{scope}: {name}", f"one name: {', '.join(paths)}")


def repeated_class_names(modules: Sequence[Module]) -> Iterator[Offence]:
    """Classes of one top folder that share a name."""
    scope_of = _scopes(modules)
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in modules:
        for node in module.syntax.body:
            if isinstance(node, ast.ClassDef):
                places[scope_of(module), node.name].append(str(module.path))
    for (scope, name), paths in places.items():
        if len(paths) > 1:
            yield Offence(f"{scope}: {name}", f"class {name} in {', '.join(paths)}")


def code_in_init(modules: Sequence[Module]) -> Iterator[Offence]:
    """Modules of folders that are more, or less, than one docstring.

    That of the public package is what its users import from: names of other modules.
    """
    for module in modules:
        if not module.is_init:
            continue
        code = [node for node in module.syntax.body if not _is_exported(module, node)]
        if len(code) != 1 or not ast.get_docstring(module.syntax):
            yield Offence(str(module.path), f"{module.path} is not only a docstring")


def _is_exported(module: Module, node: ast.stmt) -> bool:
    """Whether a statement of the public package names what is imported from it."""
    if module.folder != PUBLIC_PACKAGE:
        return False
    is_all = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    return is_all or isinstance(node, ast.ImportFrom)


def _scopes(modules: Sequence[Module]) -> Callable[[Module], str]:
    """The part of the tree in which a name means one thing."""
    below = {top: {m.family for m in modules if m.top == top} for top in MODELS}
    families = set.intersection(*below.values()) - {""}

    def scope_of(module: Module) -> str:
        is_of_family = module.top in MODELS and module.family in families
        return f"{module.top}/{module.family}" if is_of_family else module.top

    return scope_of
