"""The rules of Kafka by id, and where the model has each.

Which rules a model has is data, ``rules.toml`` in its folder; where they are modelled
is read from the docstrings, where a function says ``Rules: C-LIR-1.`` Two models can
have rules of one id, each with its own part of Kafka.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from attrs import frozen

from replicheck.invariants.catalogue.own.offered_models import SHIPPED, folder_of
from replicheck.invariants.describers.rule_references import PART

RULE_ID = re.compile(
    r"\b(?:KR-[A-Z]+-[0-9]+|[BCEFGLNXZ]-(?:[A-Z]+(?:-[A-Z0-9]+)?|[0-9]+))\b"
)
STATUSES = ("modelled", "merged", "left-out", "not-yet-modelled")


@frozen
class Rule:
    """One rule: its status, the functions that model it, and what is to be said of it.

    The status is ``modelled``, ``merged`` into another rule, ``left-out`` for good, or
    ``not-yet-modelled``.
    """

    model: str
    id: str
    status: str
    where: tuple[str, ...] = ()
    reason: str = ""


def models_with_rules() -> tuple[str, ...]:
    """Models that have a list of rules."""
    return tuple(model for model in SHIPPED if _file_of(model).is_file())


def rules() -> tuple[Rule, ...]:
    """Rules of all models, model by model, in the order of the data."""
    return tuple(rule for model in SHIPPED for rule in rules_of_model(model))


def rules_of_model(model: str) -> tuple[Rule, ...]:
    """Rules of a model, in the order of the data; most have none."""
    if model not in SHIPPED or not _file_of(model).is_file():
        return ()
    data = tomllib.loads(_file_of(model).read_text("utf-8"))
    found, shared = functions_by_rule(model), functions_by_rule("shared")
    for rule in data["ids"]:
        if rule in shared:
            found[rule] = (*found.get(rule, ()), *shared[rule])
    return tuple(_rule(model, rule, data, found) for rule in data["ids"])


def _file_of(model: str) -> Traversable:
    folder = folder_of(SHIPPED[model])
    assert folder is not None, "a shipped model is in a package"
    return folder / "rules.toml"


def functions_by_rule(model: str) -> dict[str, tuple[str, ...]]:
    """The functions by the rule that their docstrings name, as file:function."""
    found: dict[str, list[str]] = {}
    for where, text in docstrings(model).items():
        for part in PART.findall(text):
            for rule in RULE_ID.findall(part):
                found.setdefault(rule, []).append(where)
    return {rule: tuple(dict.fromkeys(where)) for rule, where in found.items()}


def docstrings(model: str) -> dict[str, str]:
    """The docstring of each function and class of a model, by file:function."""
    root = resources.files("replicheck.model") / model.replace("-", "_")
    return {
        f"{path}:{name}": text
        for path, source in _sources(root, f"model/{root.name}")
        for name, text in _docstrings(ast.parse(source))
    }


def _rule(
    model: str, rule: str, data: Mapping[str, Any], found: Mapping[str, Any]
) -> Rule:
    if rule in found:
        return Rule(model, rule, "modelled", found[rule], data["partly"].get(rule, ""))
    for status in ("merged", "left-out"):
        if rule in data[status]:
            return Rule(model, rule, status, reason=data[status][rule])
    reason = data["not-yet-modelled"].get(rule, "")
    return Rule(model, rule, "not-yet-modelled", reason=reason)


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{path}/{entry.name}", entry.read_text("utf-8")


def _docstrings(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name, ast.get_docstring(node) or ""
            yield from _docstrings(node, f"{prefix}{node.name}.")


def rules_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The rules that a function's docstring names."""
    parts = PART.findall(inspect.getdoc(function) or "")
    return tuple(dict.fromkeys(RULE_ID.findall(" ".join(parts))))
