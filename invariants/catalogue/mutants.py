"""Mutants: protocols that are known to be wrong, and what shows it, from tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import attrs
from attrs import evolve, field, frozen
from attrs.validators import min_len

from replicheck.invariants.catalogue.errors import LISTS, Place, suggestion
from replicheck.invariants.catalogue.resolution import bounds_of, verified
from replicheck.invariants.catalogue.scenario import (
    Expectation,
    LimitTable,
    Name,
    Names,
    Scenario,
)
from replicheck.invariants.catalogue.systems import System

Status = Literal["killed", "equivalent", "alive"]

MOST_STATES = 5_000_000
"""Where the search for a violation is given up, unless the data say otherwise."""

STATUSES: Mapping[str, Status] = {
    "violates": "killed",
    "equivalent": "equivalent",
    "liveness": "alive",
}
"""For each key that says what is expected of a mutant the status that it means."""


@frozen
class Mutant:
    """A protocol that is known to be wrong.

    ``scenario`` is the search in which that shows, with the protocol in it, and
    ``start`` the shipped scenario or initial state that it begins with. ``issue`` is
    Kafka's own, such as ``KAFKA-9672``. ``argument`` says why nothing is expected to
    catch it, if that is so.
    """

    name: Name
    rule: str
    issue: str
    scenario: Scenario
    start: Name
    expected: Status
    argument: str = ""

    @property
    def expectation(self) -> Expectation:
        """Expectation of its search."""
        assert self.scenario.expect is not None, "every mutant has an expectation"
        return self.scenario.expect

    @property
    def violates(self) -> Name:
        """The property that is to catch it, or nothing."""
        return next(iter(self.expectation.violations), "")

    @property
    def length(self) -> int | None:
        """Number of states that its shortest counterexample is expected to have."""
        return self.expectation.violations.get(self.violates)

    @property
    def rank(self) -> tuple[str, int, str]:
        """A key by which ``m-9`` comes before ``m-10``."""
        number = re.match(r"[a-z]+-(\d+)", self.name)
        letters = self.name.partition("-")[0] if number else ""
        return letters, int(number[1]) if number else 0, self.name

    @property
    def short_names(self) -> Iterator[str]:
        """Yield its id and its issue, in small letters."""
        if found := re.match(r"[a-z]+-\d+(?=-)", self.name):
            yield found[0]
        if self.issue:
            yield self.issue.lower()

    def is_called(self, name: str) -> bool:
        """Tell whether a name means it: its own, its id or its issue."""
        return name.lower() in (self.name, *self.short_names)


def variants_of(scenario: Scenario, system: System) -> tuple[Mutant, ...]:
    """Mutants that are the variants of a model of a user's own.

    Nothing is said of what catches one, so any property may, or claim about runs.
    """
    of_runs = tuple(system.run_claims_by_name)
    begin = evolve(scenario, witnesses=(), unreached=(), vacuous=None, liveness=of_runs)
    limits = LimitTable(states=MOST_STATES)
    expected = Expectation("violated")
    found = evolve(begin, limits=limits, expect=expected)
    return tuple(
        Mutant(
            protocol.name,
            rule="",
            issue="",
            scenario=evolve(found, protocol=protocol.name),
            start=scenario.name,
            expected="killed",
        )
        for protocol in system.mutations
    )


def chosen(names: Sequence[str], known: Sequence[Mutant]) -> tuple[Mutant, ...]:
    """The mutants that a user names, once each; without names all.

    Raises:
        ScenarioError: if a name is of none.
    """
    for name in names:
        if not any(mutant.is_called(name) for mutant in known):
            valid = [n for mutant in known for n in (mutant.name, *mutant.short_names)]
            nearest = suggestion(name.lower(), valid, LISTS["mutant"])
            raise Place(name).error(f"there is no such mutant{nearest}")
    wanted = names or [mutant.name for mutant in known]
    return tuple(
        mutant for mutant in known if any(mutant.is_called(name) for name in wanted)
    )


@frozen
class MutantTable:
    """One mutant, written as ``[[mutant]]``.

    ``protocol`` is that of the same name, unless it is given. The search begins where
    ``scenario`` does or, without one, in the state ``initial``, after ``setup``.
    Exactly one key says what is expected: ``violates`` names the property, or the claim
    about runs, that is violated after ``length`` states; ``equivalent`` argues why
    nothing can catch it; ``liveness`` says what it does for ever that no claim about
    runs catches.
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
    for number, mutant in enumerate(table.mutant, start=1):
        yield _mutant(mutant, system, scenarios, place.at("mutant").item(number))


def _mutant(
    table: MutantTable, system: System, scenarios: Mapping[str, Scenario], place: Place
) -> Mutant:
    status = _status(table, place)
    start = _start(table, system, scenarios, place)
    bounds = bounds_of(system, {**start.bounds, **table.bounds}, place.at("bounds"))
    protocol = table.protocol or table.name
    scenario = evolve(
        _with_property(table, start, system),
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
    """The scenario with whose start and properties the search begins."""
    if not table.scenario:
        blank = Scenario(table.name, "", system.name, "", initial=table.initial)
        invariants = tuple(predicate.__name__ for predicate in system.invariants)
        steps = tuple(predicate.__name__ for predicate in system.steps)
        return evolve(blank, invariants=invariants, steps=steps)
    if table.scenario not in scenarios:
        raise place.at("scenario").unknown("scenario", table.scenario, scenarios)
    return scenarios[table.scenario]


def _expectation(table: MutantTable) -> Expectation:
    if table.length is None:
        return Expectation("holds")
    return Expectation("violated", {table.violates: table.length})


def _still_dead(start: Scenario, protocol: Name, system: System) -> Names:
    """The dead actions of a scenario that the mutant has, too."""
    found = system.protocols_by_name.get(protocol)
    known = [action.__name__ for action in found.actions] if found else []
    return tuple(action for action in start.dead_actions if action in known)


def _with_property(table: MutantTable, start: Scenario, system: System) -> Scenario:
    """The start with the one property that is to be violated, or with all."""
    if not table.violates:
        return start
    only = (table.violates,)
    if table.violates in system.run_claims_by_name:
        return evolve(start, invariants=(), steps=(), liveness=only)
    if table.violates in [predicate.__name__ for predicate in system.steps]:
        return evolve(start, invariants=(), steps=only)
    return evolve(start, invariants=only, steps=())
