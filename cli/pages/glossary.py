"""The explanations of a model, for the pages that show its runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from replicheck.invariants.catalogue.own.offered_models import SHIPPED
from replicheck.invariants.catalogue.rules import docstrings, rules_of_model
from replicheck.invariants.catalogue.systems import System, summary_line
from replicheck.invariants.describers.rule_references import PART, RULE_ID
from replicheck.traces.html.glossary import Action, Glossary, Rule


def glossary_of(system: System, claim: str = "") -> Glossary:
    """The glossary of a model.

    Args:
        system: the model with its protocols.
        claim: the name of the property whose text is wanted, if any.
    """
    describer = system.describer
    return Glossary(
        {
            action.__name__: _action(action, describer.rules(action.__name__))
            for action in _actions(system)
        },
        _rules(system.name) if system.name in SHIPPED else {},
        _claim_text(system, claim),
    )


def _claim_text(system: System, claim: str) -> str:
    """The text of a property, or of a claim about runs, if there is one."""
    known, runs = system.predicates, system.run_claims_by_name
    if claim in runs:
        return runs[claim].summary
    return summary_line(known[claim]) if claim in known else ""


def _actions(system: System) -> Iterator[Callable[..., Any]]:
    for protocol in (*system.mutations, *system.protocols):
        yield from protocol.actions


def _action(function: Callable[..., Any], rules: tuple[str, ...]) -> Action:
    module = function.__module__.removeprefix("replicheck.").replace(".", "/")
    where = f"{module}.py:{function.__qualname__}"
    return Action(inspect.getdoc(function) or "", where, rules)


@cache
def _rules(model: str) -> dict[str, Rule]:
    """Rules that docstrings of a model name, with the functions that have them."""
    known = {rule.id: rule for rule in rules_of_model(model)}
    found: dict[str, dict[str, str]] = {}
    for where, text in docstrings(model).items():
        for part in PART.findall(text):
            for name in RULE_ID.findall(part):
                found.setdefault(name, {})[where] = text
    return {
        name: Rule(known[name].status, known[name].reason, functions)
        if name in known
        else Rule("modelled", functions=functions)
        for name, functions in found.items()
    }
