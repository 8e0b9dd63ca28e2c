"""From tables to scenarios: every name in them is looked up, every bound is tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import attrs
from attrs import evolve

from replicheck.invariants.catalogue.errors import Place, suggestion
from replicheck.invariants.catalogue.scenario import Expectation, Scenario
from replicheck.invariants.catalogue.setup_steps import model_of, state_after
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND
from replicheck.invariants.catalogue.systems import NO_DEADLOCK, System
from replicheck.invariants.catalogue.toml_schema import (
    CheckTable,
    ScenarioTable,
    shown,
    validator_error,
)

Systems = Mapping[str, System]

KEEPING_ITS_CLAIMS = frozenset(
    {"stop", "limits", "dead_actions", "unreached", "witnesses", "vacuous"}
)
"""The keys of an entry that change neither what is searched nor what is claimed."""
BEFORE_SETUP = ("initial", "protocol", "bounds")
"""The keys of an entry with which the setup of its scenario may be impossible."""


def scenario_from(
    table: ScenarioTable,
    name: str,
    systems: Systems,
    scenarios: Mapping[str, Scenario],
    place: Place,
) -> Scenario:
    """The scenario that a file describes.

    Args:
        scenarios: those that it can begin after.

    Raises:
        ScenarioError: if it names what does not exist, or its bounds are impossible.
    """
    if table.model not in systems:
        raise place.at("model").unknown("model", table.model, systems)
    system = systems[table.model]
    given = attrs.asdict(table, recurse=False)
    after = given.pop("after")
    if after:
        if after not in scenarios:
            raise place.at("after").unknown("scenario", after, scenarios)
        before = scenarios[after]
        given["initial"] = before.initial
        given["setup"] = before.setup + before.sequence + table.setup
    for kind in ("invariants", "steps", "witnesses"):
        if given[kind] is None:
            given[kind] = tuple(
                predicate.__name__
                for predicate in getattr(system, kind)
                if predicate.__name__ not in system.references
            )
    given["bounds"] = attrs.asdict(bounds_of(system, table.bounds, place.at("bounds")))
    scenario = verified(Scenario(name=name, **given), system, place)
    _check_ranges(scenario, system, place.at("ranges"))
    state_after(scenario, system, scenario.sequence, place.at("sequence"))
    return scenario


def _check_ranges(scenario: Scenario, system: System, place: Place) -> None:
    """Try each end of a range by itself, and then all least and all greatest ones.

    Raises:
        ScenarioError: if there is no model within them.
    """
    for bound, ends in scenario.ranges.items():
        for end in ends:
            bounds_of(system, {bound: end}, place)
    for end in (0, 1) if scenario.ranges else ():
        bounds = {bound: ends[end] for bound, ends in scenario.ranges.items()}
        model_of(with_changes(scenario, system, place, bounds=bounds), system, place)


def scenario_of_check(
    table: CheckTable,
    scenarios: Mapping[str, Scenario],
    systems: Systems,
    place: Place,
) -> Scenario:
    """The scenario of one entry of a suite.

    Raises:
        ScenarioError: if it names what does not exist, or its bounds are impossible.
    """
    if table.scenario not in scenarios:
        raise place.at("scenario").unknown("scenario", table.scenario, scenarios)
    scenario = scenarios[table.scenario]
    changed = with_changes(
        scenario, systems[scenario.model], place=place, **table.overrides
    )
    return verified(
        evolve(changed, expect=table.expect),
        systems[scenario.model],
        place,
        _place_of_setup(table, place),
    )


def _place_of_setup(table: CheckTable, place: Place) -> Place:
    """The place of an entry's setup; of its scenario's, that of the key in its way."""
    given = table.overrides.keys()
    changes = (key for key in BEFORE_SETUP if key in given and "setup" not in given)
    return next((place.at(key).within("setup") for key in changes), place.at("setup"))


def with_changes(
    scenario: Scenario, system: System, place: Place, **changes: Any
) -> Scenario:
    """The scenario with other values; ``bounds`` has only what differs.

    Which of its claims are vacuous is known of this scenario alone, so most changes
    clear that field.
    """
    if not changes.keys() <= KEEPING_ITS_CLAIMS:
        changes = {"vacuous": None, **changes}
    if "bounds" in changes:
        together = {**scenario.bounds, **changes["bounds"]}
        bounds = bounds_of(system, together, place.at("bounds"))
        changes["bounds"] = attrs.asdict(bounds)
    return evolve(scenario, **changes)


def verified(
    scenario: Scenario, system: System, place: Place, setup: Place | None = None
) -> Scenario:
    """The scenario, all names of which exist.

    Args:
        setup: where its setup is written, if not at its place.

    Raises:
        ScenarioError: for the first name that does not.
    """
    protocols = system.protocols_by_name
    if scenario.protocol not in protocols:
        raise place.at("protocol").unknown("protocol", scenario.protocol, protocols)
    for name in scenario.reductions:
        if name not in system.reductions_by_name:
            raise place.at("reductions").unknown(
                "reduction", name, system.reductions_by_name
            )
    model_of(scenario, system, place, setup)
    for key, kind, names, known in _named(scenario, system):
        for name in names:
            if name not in known:
                raise place.at(key).unknown(kind, name, known)
    if scenario.expect is not None:
        _require_possible(scenario.expect, place.at("expect"))
    return scenario


def _require_possible(expect: Expectation, place: Place) -> None:
    """Refuse an expectation that no search can meet.

    Raises:
        ScenarioError: naming what is wrong with it.
    """
    if expect.violations and expect.verdict != "violated":
        raise place.at("verdict").error(
            f'is "{expect.verdict}", and `violations` names some: expected "violated"'
        )
    for name, length in expect.violations.items():
        if length < 1:
            raise (
                place.at("violations")
                .at(name)
                .error(f"is {length}, expected a number of states >= 1")
            )


def _named(
    scenario: Scenario, system: System
) -> Iterator[tuple[str, str, Iterable[str], Collection[str]]]:
    """Yield each key with names, what they are names of, the names, and the known."""
    protocol = system.protocol(scenario.protocol, scenario.reductions)
    expected = scenario.expect.violations if scenario.expect else ()
    unreduced = system.unreduced_names(scenario.protocol, scenario.reductions)
    invariants = [*_names(system.invariants), NO_DEADLOCK]
    actions = [*_names(protocol.actions), *unreduced.values()]
    claims = scenario.invariants + scenario.steps + scenario.liveness
    claim = "invariant, step property or claim about runs of this check"
    yield "invariants", "invariant", scenario.invariants, invariants
    yield "steps", "step property", scenario.steps, _names(system.steps)
    yield "witnesses", "witness", scenario.witnesses, _names(system.witnesses)
    runs = system.run_claims_by_name
    yield "liveness", "claim about runs", scenario.liveness, runs
    yield "dead_actions", "action", scenario.dead_actions, actions
    witnesses = scenario.witnesses
    yield "unreached", "witness of this check", scenario.unreached, witnesses
    yield "vacuous", claim, scenario.vacuous or (), claims
    yield "expect.violations", claim, expected, claims


def bounds_of(system: System, given: Mapping[str, object], place: Place) -> Any:
    """Bounds as the model takes them.

    Raises:
        ScenarioError: for a key that is no bound, or a value that cannot be.
    """
    known = [field.name for field in attrs.fields(system.bounds)]
    for key, value in given.items():
        if key not in known:
            raise place.at(key).error(f"there is no such bound{suggestion(key, known)}")
        if type(value) is not int:
            raise place.at(key).error(f"is {shown(value)}, expected an integer")
        if value > MOST_OF_A_BOUND:
            raise place.at(key).error(
                f"is {value}, expected a value <= {MOST_OF_A_BOUND}, the greatest of"
                " any bound: choose a smaller one"
            )
    try:
        return system.bounds(**given)
    except ValueError as error:
        raise validator_error(error, place) from error


def _names(predicates: Iterable[Any]) -> list[str]:
    return [predicate.__name__ for predicate in predicates]
