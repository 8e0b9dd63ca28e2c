"""From the tables of ``mutants/*.toml`` to mutants: every name in them is looked up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs
from attrs import evolve, field, frozen
from attrs.validators import min_len

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.mutants import Mutant, Status
from replicheck.invariants.catalogue.resolution import bounds_of, verified
from replicheck.invariants.catalogue.scenario import (
    Expectation,
    LimitTable,
    Name,
    Names,
    Scenario,
)
from replicheck.invariants.catalogue.systems import System

MOST_STATES = 5_000_000
"""Where the search for a violation is given up, unless the data say otherwise."""

STATUSES: Mapping[str, Status] = {
    "violates": "killed",
    "equivalent": "equivalent",
    "liveness": "alive",
}
"""For each key that says what is expected of a mutant the status that it means."""


@frozen
class MutantTable:
    """One mutant, written as ``[[mutant]]``.

    ``protocol`` is that of the same name, unless it is given. The search begins where
    ``scenario`` does or, without one, in the state ``initial``, after ``setup``.
    Exactly one key says what is expected: ``violates`` names the property that is
    violated after ``length`` states; ``equivalent`` argues why nothing can catch it;
    ``liveness`` says which property of whole runs it breaks.
    """

    name: Name
    rule: str
    issue: str = ""
    protocol: Name = ""
    scenario: Name = ""
    initial: Name = ""
    bounds: Mapping[str, int] = field(factory=dict)
    setup: Names = ()
    violates: Name = ""
    length: int | None = None
    equivalent: str = ""
    liveness: str = ""
    limits: LimitTable = LimitTable(states=MOST_STATES)


@frozen
class MutantsTable:
    """A file of mutants of one system."""

    system: str
    mutant: tuple[MutantTable, ...] = field(validator=min_len(1))


def mutants_from(
    table: MutantsTable,
    systems: Mapping[str, System],
    scenarios: Mapping[str, Scenario],
    place: Place,
) -> Iterator[Mutant]:
    """Yield the mutants that a file describes.

    Raises:
        ScenarioError: if one names what does not exist.
    """
    if table.system not in systems:
        raise place.at("system").unknown("system", table.system, systems)
    system = systems[table.system]
    for number, each in enumerate(table.mutant, start=1):
        yield _mutant(each, system, scenarios, place.at("mutant").item(number))


def _mutant(
    table: MutantTable, system: System, scenarios: Mapping[str, Scenario], place: Place
) -> Mutant:
    status = _status(table, place)
    start = _start(table, system, scenarios, place)
    bounds = bounds_of(system, {**start.bounds, **table.bounds}, place.at("bounds"))
    protocol = table.protocol or table.name
    scenario = evolve(
        _judging(table, start, system),
        name=table.name,
        summary=f"the mutant {table.name}",
        protocol=protocol,
        bounds=attrs.asdict(bounds),
        setup=start.setup + table.setup,
        sequence=(),
        ranges={},
        witnesses=(),
        dead_actions=_still_dead(start, protocol, system),
        unreached=(),
        vacuous=None,
        stop="first-violation",
        limits=table.limits,
        expect=_expectation(table),
    )
    argument = table.equivalent or table.liveness
    scenario = verified(scenario, system, place)
    begin = table.scenario or table.initial
    return Mutant(
        table.name, table.rule, table.issue, scenario, begin, status, argument
    )


def _status(table: MutantTable, place: Place) -> Status:
    given = [key for key in STATUSES if getattr(table, key)]
    if len(given) != 1:
        raise place.error(
            f"has {' and '.join(given) or 'nothing'} to say what is expected; give one"
            f" of {', '.join(STATUSES)}"
        )
    if bool(table.violates) != (table.length is not None):
        raise place.at("length").error("goes with the key violates, and only with it")
    return STATUSES[given[0]]


def _start(
    table: MutantTable, system: System, scenarios: Mapping[str, Scenario], place: Place
) -> Scenario:
    """Return the scenario with whose start and properties the search begins."""
    if not table.scenario:
        blank = Scenario(table.name, "", system.name, "", initial=table.initial)
        invariants = tuple(each.__name__ for each in system.invariants)
        steps = tuple(each.__name__ for each in system.steps)
        return evolve(blank, invariants=invariants, steps=steps)
    if table.scenario not in scenarios:
        raise place.at("scenario").unknown("scenario", table.scenario, scenarios)
    return scenarios[table.scenario]


def _expectation(table: MutantTable) -> Expectation:
    if table.length is None:
        return Expectation("holds")
    return Expectation("violated", {table.violates: table.length})


def _still_dead(start: Scenario, protocol: Name, system: System) -> Names:
    """Return those dead actions of a scenario that the mutant has."""
    found = system.protocols_by_name.get(protocol)
    known = [each.__name__ for each in found.actions] if found else []
    return tuple(each for each in start.dead_actions if each in known)


def _judging(table: MutantTable, start: Scenario, system: System) -> Scenario:
    """Return the start with the one property that is to be violated, or with all."""
    if not table.violates:
        return start
    only = (table.violates,)
    if table.violates in [each.__name__ for each in system.steps]:
        return evolve(start, invariants=(), steps=only)
    return evolve(start, invariants=only, steps=())
