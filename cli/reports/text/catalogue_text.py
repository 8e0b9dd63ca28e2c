"""Suites, scenarios and properties as text, in sections of two columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

from attrs import evolve, frozen

from replicheck.cli.reports.text.bounds_text import bounds_lines
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of, states_beside
from replicheck.invariants.catalogue.systems import Predicate, System, summary_line
from replicheck.model.modelling.symmetry import IdRenamings
from replicheck.model.protocol import Protocol


class ListKind(Enum):
    """What can be listed."""

    SUITES = "suites"
    SCENARIOS = "scenarios"
    PROTOCOLS = "protocols"
    MUTATIONS = "mutations"
    REDUCTIONS = "reductions"
    PROPERTIES = "properties"
    ENGINES = "engines"


IN_SHORT = frozenset(
    {ListKind.SUITES, ListKind.SCENARIOS, ListKind.PROTOCOLS, ListKind.ENGINES}
)
"""What is listed unless the user says otherwise."""

MOST_OWN_ACTIONS = 6
"""Actions of another protocol that a scenario's text names."""

Rows = list[tuple[str, str]]
ROW = "  "
"""How lines begin that are about one name."""


@frozen
class ListFilter:
    """What is listed: rows of some kinds that have a text, in name or summary."""

    kinds: frozenset[ListKind] = frozenset(ListKind)
    text: str = ""

    def rows(self, kind: ListKind, rows: Iterable[tuple[str, str]]) -> Rows:
        """Rows of a kind that are listed."""
        if kind not in self.kinds:
            return []
        text = self.text.lower()
        return [row for row in rows if text in " ".join(row).lower()]


def catalogue_lines(catalogue: Catalogue, chosen: ListFilter) -> Iterator[str]:
    """Yield suites, scenarios by model, what belongs to each model, and engines."""
    suites = [(suite.name, suite.summary) for suite in catalogue.suites.values()]
    yield from _section("Suites", chosen.rows(ListKind.SUITES, suites))
    for system in catalogue.systems.values():
        yield from _sections_of_system(catalogue, system, chosen)
    engines = [(name, engine.summary) for name, engine in ENGINES.items()]
    yield from _section("Engines", chosen.rows(ListKind.ENGINES, engines))
    yield f"\nDefault suite: {DEFAULT_SUITE}. Default engine: {DEFAULT_ENGINE}."
    left_out = [kind.value for kind in ListKind if kind not in chosen.kinds]
    if left_out:
        yield f"Not listed: {', '.join(left_out)} (`replicheck list --kind KIND`)."


def model_lines(
    catalogue: Catalogue, names: Iterable[str], chosen: ListFilter
) -> Iterator[str]:
    """Yield scenarios, protocols and properties of some models, line by line."""
    for name in names:
        system = catalogue.systems[name]
        yield from _sections_of_system(catalogue, system, chosen)


def _sections_of_system(
    catalogue: Catalogue, system: System, chosen: ListFilter
) -> Iterator[str]:
    """Yield the sections of a model, each with the rows that are chosen."""
    scenarios = [
        (scenario.name, scenario.summary)
        for scenario in catalogue.scenarios.values()
        if scenario.model == system.name
    ]
    protocols = [(protocol.name, "") for protocol in system.protocols]
    sections: list[tuple[str, ListKind, Iterable[tuple[str, str]]]] = [
        ("Scenarios", ListKind.SCENARIOS, scenarios),
        ("Protocols", ListKind.PROTOCOLS, protocols),
        (_mutations_title(system), ListKind.MUTATIONS, _mutations(system)),
        ("Reductions", ListKind.REDUCTIONS, _reductions(system)),
        *(
            (title, ListKind.PROPERTIES, _summaries(predicates))
            for title, predicates in _predicates(system)
        ),
        ("Claims about runs", ListKind.PROPERTIES, _run_claims(system)),
    ]
    for title, kind, rows in sections:
        yield from _section(f"{title} of {system.name}", chosen.rows(kind, rows))


def scenario_lines(catalogue: Catalogue, name: str) -> Iterator[str]:
    """Yield bounds, actions, other protocols, reductions and properties of a scenario.

    Of the actions those that the bounds exclude are left out, and of another protocol
    those that are as in the scenario's own.
    """
    scenario = catalogue.scenarios[name]
    system = catalogue.systems[scenario.model]
    protocol = system.protocols_by_name[scenario.protocol]
    yield f"{scenario.name}: {scenario.summary}".removesuffix(": ")
    yield from _section("Bounds", _bounds(scenario))
    yield from (f"{ROW}{line}" for line in bounds_lines(system.bounds))
    model = model_of(scenario, system, Place(name))
    allowed = model.actions
    yield from _section("Initial states", _initial_states(scenario, system))
    excluded = len(protocol.actions) - len(allowed)
    without = f", without {excluded} that the bounds exclude" if excluded else ""
    yield from _section(f"Actions of {protocol.name}{without}", _actions(allowed))
    others = [other for other in system.protocols if other.name != protocol.name]
    yield from _section(
        f"Other protocols, with what they have in place of actions of {protocol.name}",
        ((other.name, _own_actions(other, protocol)) for other in others),
    )
    if system.digest:
        yield from _section(_mutations_title(system), _mutations(system))
    yield from _section(
        "Reductions" + _enabled_reductions(scenario), _reductions(system)
    )
    for title, predicates in _predicates(system):
        claimed = [
            predicate
            for predicate in predicates
            if predicate.__name__ in scenario.properties
        ]
        yield from _section(title, _summaries(claimed))
    if system.digest:
        yield from _sections_of_own_model(system, model)
    yield from _section("Expected", _expectation(scenario))


def _sections_of_own_model(system: System, model: Any) -> Iterator[str]:
    """Yield what a file says of runs and of ids; of a shipped model its page does."""
    claims = _run_claims(system)
    yield from _section("Claims about runs, judged with --livelocks", claims)
    yield from _section("Fairness of these", _fairness(system, model.actions))
    alike = _alike(model.symmetries)
    yield from _section("Ids that are alike, and what they index", alike)


def _mutations_title(system: System) -> str:
    """What mutations are called: those of an own model as its file calls them."""
    return "Variants" if system.digest else "Mutations"


def _mutations(system: System) -> Iterator[tuple[str, str]]:
    """Yield name and summary of each mutation."""
    for mutation in system.mutations:
        yield mutation.name, summary_line(mutation.changes[0])


def _run_claims(system: System) -> Iterator[tuple[str, str]]:
    for name, claim in system.run_claims_by_name.items():
        yield name, claim.summary


def _fairness(
    system: System, actions: Iterable[Callable[..., Any]]
) -> Iterator[tuple[str, str]]:
    """Yield which actions are not just taken if they stay enabled."""
    names = [action.__name__ for action in actions] if system.run_claims else []
    for what, some in (
        ("taken if enabled again and again", system.strong),
        ("may be left out for ever", (*system.environment, *system.unfair)),
    ):
        special = {action.__name__ for action in some}
        found = [name for name in names if name in special]
        if found:
            yield what, ", ".join(found)


def _alike(symmetries: object) -> Iterator[tuple[str, str]]:
    """Yield each class of ids that are alike, with the tuples that they index."""
    if isinstance(symmetries, IdRenamings):
        for kind, families in symmetries.families.items():
            yield kind.__name__, ", ".join(families) or "within values"


def _initial_states(scenario: Scenario, system: System) -> Rows:
    """Name of each beginning, and what it is; none if there is only one state."""
    here = scenario.initial or next(iter(system.initials), "")
    counts = {name: _count(name, scenario, system) for name in system.initials}
    if len(counts) < 2 and not any(counts.values()):
        return []
    rows = []
    for name, begin in system.initials.items():
        begins = "here runs begin" if name == here else ""
        parts = (summary_line(begin).rstrip("."), counts[name], begins)
        rows.append((name, "; ".join(part for part in parts if part)))
    return rows


def _count(name: str, scenario: Scenario, system: System) -> str:
    """How many states a beginning has, where it is not one."""
    try:
        count = len(states_beside(evolve(scenario, initial=name), system))
    except ScenarioError as error:
        return f"none within these bounds: {error}"
    return "" if count == 1 else f"{count:,} states: {name} [1] to {name} [{count}]"


def _bounds(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield each bound that is not 0, and then the names of the others."""
    yield from ((name, str(value)) for name, value in scenario.bounds.items() if value)
    zero = [name for name, value in scenario.bounds.items() if not value]
    if zero:
        yield "(these are 0)", ", ".join(zero)


def _actions(actions: Iterable[Callable[..., Any]]) -> Iterator[tuple[str, str]]:
    """Yield name and summary of each action."""
    for action in actions:
        yield action.__name__, summary_line(action)


def _own_actions(protocol: Protocol, base: Protocol) -> str:
    """The actions that a protocol has and another has not, and their number if many."""
    own = [action.__name__ for action in protocol.actions if action not in base.actions]
    if len(own) > MOST_OWN_ACTIONS:
        shown = ", ".join(own[:MOST_OWN_ACTIONS])
        return f"{shown}, and {len(own) - MOST_OWN_ACTIONS} more"
    return ", ".join(own) or "the same actions, with other rules"


def _enabled_reductions(scenario: Scenario) -> str:
    """Which reductions a scenario has on."""
    return (
        f", on are: {', '.join(scenario.reductions)}"
        if scenario.reductions
        else ", all off"
    )


def _reductions(system: System) -> Iterator[tuple[str, str]]:
    """Yield each reduction with what it does, and why no property can tell."""
    for reduction in system.reductions:
        yield reduction.name, f"{reduction.summary} {reduction.reason}"


def _predicates(system: System) -> Iterator[tuple[str, Iterable[Predicate]]]:
    """Yield the properties of a model by what they are about."""
    yield "Invariants", system.invariants
    yield "Step properties", system.steps
    yield "Witnesses", system.witnesses


def _summaries(predicates: Iterable[Predicate]) -> Rows:
    return [(predicate.__name__, summary_line(predicate)) for predicate in predicates]


def _expectation(scenario: Scenario) -> Iterator[tuple[str, str]]:
    expect = scenario.expect
    if expect is None:
        return
    yield "verdict", expect.verdict
    for name, length in expect.violations.items():
        yield name, f"violated after {length} states"
    for key, number in (("states", expect.states), ("depth", expect.depth)):
        if number is not None:
            yield key, f"{number:,}"


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    width = max(len(name) for name, _ in listed)
    yield f"\n{title}:"
    for name, text in listed:
        yield f"{ROW}{name:{width}}  {text}".rstrip()
