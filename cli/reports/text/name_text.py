"""What the catalogue has under a name: a property, an action, a rule or a bug."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from replicheck.invariants.catalogue.bugs import Bug
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.rules import Rule, rules
from replicheck.invariants.catalogue.systems import NO_DEADLOCK, System

PREFIX = "replicheck."
INDENT = "  "
NUMBER = re.compile(r"\b(?:K?INV|LIV)-[0-9]+\b")
"""What docstrings call a property by, beside its name."""
Function = Callable[..., Any]


def name_lines(catalogue: Catalogue, name: str) -> list[str]:
    """Lines on all that has a name; none if nothing of these kinds has it."""
    return [
        *bug_lines(catalogue, name),
        *_scenarios(catalogue, name),
        *_of_every_model(name),
        *rule_lines(name),
        *_reductions(catalogue, name),
        *(
            line
            for system in catalogue.systems.values()
            for line in (
                *_property(catalogue, system, name),
                *_numbered(catalogue, system, name),
                *_action(system, name),
            )
        ),
    ]


def known_names(catalogue: Catalogue) -> Iterator[str]:
    """Yield every name of which there are lines."""
    yield from catalogue.scenarios
    for system in catalogue.systems.values():
        yield from system.predicates
        yield from _numbers(system)
        for protocol in system.protocols:
            yield from (action.__name__ for action in protocol.actions)
        yield from system.reductions_by_name
    yield NO_DEADLOCK
    yield from (rule.id for rule in rules())
    yield from catalogue.bugs


def bug_lines(catalogue: Catalogue, name: str) -> Iterator[str]:
    """Yield the lines on the bugs with a name or an issue, such as kafka-9539."""
    wanted = name.upper() if name.startswith("kafka-") else name
    for bug in catalogue.bugs.values():
        if wanted == bug.name or wanted in bug.issues:
            yield from _bug(bug)


def _bug(bug: Bug) -> Iterator[str]:
    yield f"{bug.name}: {bug.title}"
    yield f"{INDENT}{bug.status}; rule {bug.rule}; fixed in {bug.fixed_in}"
    yield f"{INDENT}what Kafka did: {bug.instead}"
    for mutant in bug.mutants:
        yield f"{INDENT}its shortest run: replicheck check {mutant.name}"
    for note in filter(None, (bug.reason, bug.differs)):
        yield f"{INDENT}{note}"


def _scenarios(catalogue: Catalogue, reference: str) -> Iterator[str]:
    """Scenarios whose summary ends with a reference, such as s2."""
    end = re.compile(rf"\((?:.*, )?{re.escape(reference)}(?:, .*)?\)$")
    for scenario in catalogue.scenarios.values():
        if end.search(scenario.summary):
            yield f"{scenario.name}: {scenario.summary}"


def _of_every_model(name: str) -> Iterator[str]:
    if name == NO_DEADLOCK:
        yield f"{name}: an invariant of every model"
        yield f"{INDENT}No reachable state is a deadlock: a step can be taken in each."
        yield f"{INDENT}judged where a scenario or --invariant names it"


def rule_lines(name: str) -> Iterator[str]:
    """Yield the lines on the rules with an id, which may be in lower case."""
    for rule in rules():
        if rule.id.casefold() == name.casefold():
            yield from _rule(rule)


def _reductions(catalogue: Catalogue, name: str) -> Iterator[str]:
    for system in catalogue.systems.values():
        reduction = system.reductions_by_name.get(name)
        if reduction is not None:
            yield f"{name}: a reduction of {system.name}"
            yield f"{INDENT}{reduction.summary}"


def _rule(rule: Rule) -> Iterator[str]:
    yield f"{rule.id}: a rule of {rule.model}, {rule.status}"
    for function in rule.where:
        yield f"{INDENT}{function}"
    if rule.reason:
        yield f"{INDENT}{rule.reason}"


def _property(catalogue: Catalogue, system: System, name: str) -> Iterator[str]:
    for kind, predicates in (
        ("an invariant", system.invariants),
        ("a step property", system.steps),
        ("a witness", system.witnesses),
    ):
        for predicate in predicates:
            if predicate.__name__ == name:
                yield f"{name}: {kind} of {system.name}"
                yield from _document(predicate)
                asking = [
                    scenario.name
                    for scenario in catalogue.scenarios.values()
                    if scenario.model == system.name and name in scenario.properties
                ]
                yield f"{INDENT}judged in: {', '.join(asking) or 'no scenario'}"
    claim = system.run_claims_by_name.get(name)
    if claim is not None:
        yield f"{name}: a claim about runs of {system.name}"
        yield f"{INDENT}{claim.summary}"
        yield f"{INDENT}judged with --livelocks, or where it is named"


def _numbered(catalogue: Catalogue, system: System, number: str) -> Iterator[str]:
    """Yield the lines on the properties whose docstrings have a number."""
    for name in _numbers(system).get(number.upper(), ()):
        yield from _property(catalogue, system, name)


def _numbers(system: System) -> dict[str, list[str]]:
    """Properties of a system by the numbers in their docstrings."""
    found: dict[str, list[str]] = {}
    for name, predicate in system.predicates.items():
        for number in dict.fromkeys(NUMBER.findall(predicate.__doc__ or "")):
            found.setdefault(number, []).append(name)
    return found


def _action(system: System, name: str) -> Iterator[str]:
    protocols: dict[Function, list[str]] = {}
    for protocol in system.protocols:
        for action in protocol.actions:
            if action.__name__ == name:
                protocols.setdefault(action, []).append(protocol.name)
    for action, names in protocols.items():
        yield f"{name}: an action of {system.name}"
        yield from _document(action)
        yield f"{INDENT}protocols: {', '.join(names)}"


def _document(function: Function) -> Iterator[str]:
    """Yield the docstring of a function, and where it is."""
    for line in (inspect.getdoc(function) or "").splitlines():
        yield f"{INDENT}{line}".rstrip()
    place = inspect.unwrap(function)
    file = place.__module__.removeprefix(PREFIX).replace(".", "/")
    yield f"{INDENT}{file}.py:{place.__code__.co_firstlineno}"
