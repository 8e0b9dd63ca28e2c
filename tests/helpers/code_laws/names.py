"""Laws of names and docstrings: loop variables, parameters, first words."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from code_laws.source import Module, Offence, functions_of

PRONOUNS = frozenset(
    {"all", "another", "any", "both", "each", "every", "few", "it", "many", "none"}
    | {"one", "other", "others", "several", "some", "that", "them", "these", "this"}
    | {"those", "what", "which", "who"}
)
"""Pronouns and quantifiers: they tell nothing of the value."""
RAISED = re.compile(r"^    (\w[\w.]*):", re.MULTILINE)
"""An error in the section of a docstring on what is raised."""
PROVEN = ("model", "invariants")
"""Where a comparison is a bool without being asked whether it is one."""


def loops_over_each(modules: Sequence[Module]) -> Iterator[Offence]:
    """Loops and comprehensions whose variable is called `each`."""
    for module in modules:
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
                names = [n for n in ast.walk(node.target) if isinstance(n, ast.Name)]
                for name in names:
                    if name.id == "each":
                        at = f"{module.path}:{name.lineno}"
                        yield Offence(str(module.path), f"{at}: `for each in`")


def pronoun_parameters(modules: Sequence[Module]) -> Iterator[Offence]:
    """Parameters that are called after a pronoun or a quantifier.

    Python's own methods, such as ``__eq__``, have names for theirs by convention.
    """
    for module in modules:
        for function in functions_of(module):
            name = getattr(function, "name", "lambda")
            if name.startswith("__") and name.endswith("__"):
                continue
            for parameter in _parameters(function.args):
                if parameter.arg in PRONOUNS:
                    detail = (
                        f"{module.path}:{parameter.lineno}: {name}({parameter.arg})"
                    )
                    yield Offence(str(module.path), detail)


def docstrings_of_return(modules: Sequence[Module]) -> Iterator[Offence]:
    """Docstrings that begin with "Return", not with the term for what is returned."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    for module in modules:
        for node in ast.walk(module.syntax):
            text = ast.get_docstring(node) if isinstance(node, kinds) else None
            if text and text.startswith("Return "):
                at = f"{module.path}:{getattr(node, 'lineno', 1)}"
                yield Offence(str(module.path), f"{at}: {text.splitlines()[0]}")


def raises_of_unknown_errors(modules: Sequence[Module]) -> Iterator[Offence]:
    """Errors under ``Raises:`` that are neither Python's nor in any module.

    A name with a dot is of a library.
    """
    known = set(dir(builtins))
    for module in modules:
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            if isinstance(node, ast.alias):
                known.add(node.name)
    for module in modules:
        for function in functions_of(module):
            if isinstance(function, ast.Lambda):
                continue
            _, _, raised = (ast.get_docstring(function) or "").partition("Raises:\n")
            for name in RAISED.findall(raised):
                if "." not in name and name not in known:
                    at = f"{module.path}:{function.lineno}"
                    yield Offence(str(module.path), f"{at}: Raises: {name}")


def returns_of_bool_calls(modules: Sequence[Module]) -> Iterator[Offence]:
    """Statements ``return bool(…)`` in models and invariants."""
    for module in modules:
        if module.top not in PROVEN:
            continue
        for node in ast.walk(module.syntax):
            if isinstance(node, ast.Return) and _is_bool_call(node.value):
                at = f"{module.path}:{node.lineno}"
                yield Offence(str(module.path), f"{at}: {ast.unparse(node)}")


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _is_bool_call(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "bool"
    )
