"""The digest of a model: what must be equal for a checkpoint to go on with it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.properties import Property
from replicheck.explorer.runtime.digest import NAME, digest
from replicheck.explorer.states.fingerprint import Hasher


def model_digest(
    learner: LearnedModel,
    properties: Iterable[Property],
    fingerprints: KeyPrecision = KeyPrecision.BITS_64,
) -> dict[str, str]:
    """A checksum of each thing that a checkpoint depends on, by what it is."""
    functions = [
        f"{function.role.value} {function.instance.label}"
        for function in learner.functions
    ]
    claims = [f"{claim.kind.value} {claim.name}" for claim in properties]
    cells = map(str, dict.fromkeys(learner.layout.cells))
    return {
        "model": _digest([learner.model.name, *_constants(learner)]),
        "cells": _digest([*cells, str(learner.tables.permutations)]),
        "actions and properties": _digest([*dict.fromkeys(functions), *claims]),
        "fingerprints": fingerprints.value,
        "code": _digest(_sources(learner)),
    }


def _digest(texts: Iterable[str]) -> str:
    return digest("\n".join(texts).encode(), NAME)


def _constants(learner: LearnedModel) -> list[str]:
    """Hashes of the initial states and of the constants beside their cells."""
    hasher = Hasher()
    fingerprints = sorted(hasher.value(start) for start in learner.starts)
    found = [str(fingerprint) for fingerprint in fingerprints]
    for name in learner.layout.constants:
        constant = getattr(learner.starts[0], name)
        try:
            found.append(f"{name} {hasher.value(constant)}")
        except (ModelError, TypeError):
            found.append(f"{name} {type(constant).__name__}")
    return found


def _sources(learner: LearnedModel) -> Iterator[str]:
    """Yield the source of every module that the model and its properties are made of.

    Those are the modules of its functions and states, and what these import from the
    same distribution, as far as it is written in Python.
    """
    functions: list[Any] = [
        function.instance.function for function in learner.functions
    ]
    functions += [claim.predicate for claim in learner.step_properties]
    names = {thing.__module__ for thing in (*functions, type(learner.starts[0]))}
    names.add(type(learner.model).__module__)
    seen: set[str] = set()
    while names:
        name = names.pop()
        module = sys.modules.get(name)
        if name in seen or module is None:
            continue
        seen.add(name)
        names |= _imported(module)
    for name in sorted(seen):
        try:
            yield inspect.getsource(sys.modules[name])
        except (OSError, TypeError):
            yield name


def _imported(module: ModuleType) -> set[str]:
    """The names of modules of the same distribution that a module uses."""
    top = module.__name__.partition(".")[0]
    used = map(_module_of, vars(module).values())
    return {
        name for name in used if isinstance(name, str) and name.partition(".")[0] == top
    }


def _module_of(value: Any) -> object:
    """The name of the module that a value is, or in which it was defined.

    What a function says of itself is not asked: with Python 3.13 attrs has its own
    ``evolve`` name the module of the class that was made last.
    """
    if inspect.ismodule(value):
        return value.__name__
    inner = inspect.unwrap(value) if inspect.isfunction(value) else value
    if inspect.isfunction(inner):
        return inner.__globals__.get("__name__")
    return getattr(inner, "__module__", None)
