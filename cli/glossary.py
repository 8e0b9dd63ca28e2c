"""The explanations of a model, for the pages that show its runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from replicheck.invariants.rules import docstrings, rules
from replicheck.invariants.systems import System, sentence
from replicheck.traces.html.glossary import Action, Glossary, Rule


def glossary_of(system: System, claim: str = "") -> Glossary:
    """Return the glossary of a model.

    Args:
        system: the model with its protocols.
        claim: the name of the property whose sentence is wanted, if any.
    """
    known = system.predicates
    return Glossary(
        {each.__name__: _action(each) for each in _actions(system)},
        _rules(),
        sentence(known[claim]) if claim in known else "",
    )


def _actions(system: System) -> Iterator[Callable[..., Any]]:
    for protocol in system.protocols:
        yield from protocol.actions


def _action(function: Callable[..., Any]) -> Action:
    module = function.__module__.removeprefix("replicheck.").replace(".", "/")
    where = f"{module}.py:{function.__qualname__}"
    named = [rule for rule, each in _rules().items() if where in each.functions]
    return Action(inspect.getdoc(function) or "", where, tuple(named))


@cache
def _rules() -> dict[str, Rule]:
    texts = docstrings()
    return {
        each.id: Rule(each.status, each.reason, {w: texts[w] for w in each.where})
        for each in rules()
    }
