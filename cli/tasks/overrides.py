"""What a user changes on the command line, and scenarios with those changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
from attrs import evolve, frozen

from replicheck.cli.tasks.engine_settings import Counting, Settings
from replicheck.cli.tasks.suite_entry import limit_words, stop_words
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.resolution import BEFORE_SETUP, bounds_of
from replicheck.invariants.catalogue.scenario import (
    LimitTable,
    Names,
    Scenario,
    StopName,
)
from replicheck.invariants.catalogue.setup_steps import initial_states
from replicheck.invariants.catalogue.systems import NO_DEADLOCK, System

KINDS = {
    "invariants": "an invariant",
    "steps": "a step property",
    "witnesses": "a witness",
    "liveness": "a claim about runs for ever",
}
ALL = ("all",)
"""Stands for every reduction that the protocol allows."""


@frozen
class Claims:
    """Properties that are to be judged as step properties, or as witnesses."""

    steps: Names = ()
    witnesses: Names = ()

    def words(self, properties: Names) -> list[str]:
        """These and properties of any kind as words of a command line."""
        named = self._by_option(properties).items()
        return [word for option, names in named for n in names for word in (option, n)]

    def options(self, properties: Names) -> list[str]:
        """The options that name these, and properties of any kind."""
        named = self._by_option(properties).items()
        return [option for option, names in named if names]

    def _by_option(self, properties: Names) -> dict[str, Names]:
        return {
            "--invariant": properties,
            "--step": self.steps,
            "--witness": self.witnesses,
        }


@frozen
class Overrides:
    """What a user changes on the command line; None and empty change nothing.

    ``entries`` are those of the suite that are to be checked, counted from 1. No
    reductions at all are a change, too. ``properties`` may be of any kind, and
    ``claims`` has those that are to be of one kind.
    """

    engine: str
    protocol: str | None = None
    bounds: Mapping[str, object] | None = None
    properties: Names = ()
    claims: Claims = Claims()
    limits: LimitTable = LimitTable()
    stop: StopName | None = None
    settings: Settings = Settings()
    entries: tuple[int, ...] = ()
    reductions: Names | None = None
    initial: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a command line that matter for what is found."""
        words = ["--protocol", self.protocol] if self.protocol else []
        words += ["--initial", self.initial] if self.initial else []
        if self.reductions is not None:
            words += ["--step-reductions", ",".join(self.reductions) or "none"]
        if self.bounds:
            pairs = (f"{key}={value}" for key, value in self.bounds.items())
            words += ["--bounds", ",".join(pairs)]
        words += ["--engine", self.engine, *self.settings.words]
        words += self.claims.words(self.properties)
        return (*words, *limit_words(self.limits), *stop_words(self.stop))


def with_overrides(scenario: Scenario, system: System, choices: Overrides) -> Scenario:
    """The scenario with everything that the user changes.

    Raises:
        ScenarioError: if a name or a bound is wrong.
    """
    limits = attrs.asdict(choices.limits)
    given = {name: value for name, value in limits.items() if value is not None}
    scenario = evolve(scenario, limits=evolve(scenario.limits, **given))
    if choices.protocol is not None:
        known = system.protocols_by_name
        if choices.protocol not in known:
            raise Place("--protocol").unknown("protocol", choices.protocol, known)
        scenario = evolve(scenario, protocol=choices.protocol)
    if choices.bounds is not None:
        together = {**scenario.bounds, **choices.bounds}
        bounds = bounds_of(system, together, Place("--bounds"))
        scenario = evolve(scenario, bounds=attrs.asdict(bounds))
    if choices.initial is not None:
        where, within = Place("--initial"), system.bounds(**scenario.bounds)
        initial_states(system, choices.initial, within, where)
        scenario = evolve(scenario, initial=choices.initial)
    if choices.reductions is not None:
        reductions = _reductions(scenario, system, choices.reductions)
        scenario = evolve(scenario, reductions=reductions)
    wanted = choices.properties + choices.claims.steps + choices.claims.witnesses
    if wanted:
        scenario = _with_only(scenario, system, choices)
    elif choices.settings.livelocks and not scenario.liveness:
        scenario = evolve(scenario, liveness=(*system.run_claims_by_name,))
    of_search = (choices.protocol, choices.reductions, choices.bounds, choices.initial)
    changes = (*of_search, *wanted)
    if any(change is not None for change in changes):
        scenario = evolve(scenario, vacuous=None)
    return _with_stop(scenario, choices)


def places_of(scenario: Scenario, choices: Overrides) -> tuple[Place, Place]:
    """Places of a scenario, and of its setup, with options that may not fit it."""
    given = [name for name in BEFORE_SETUP if getattr(choices, name) is not None]
    options = " and ".join(f"--{name}" for name in given)
    where = f"{scenario.name} with {options}" if given else scenario.name
    return Place(scenario.name), Place(where, "setup")


def _reductions(scenario: Scenario, system: System, names: Names) -> Names:
    """The reductions of some names in the order of the system; all are what fits."""
    known = system.reductions_by_name
    if names == ALL:
        protocol = system.protocols_by_name[scenario.protocol]
        return tuple(
            reduction.name
            for reduction in system.reductions
            if reduction.allows(protocol)
        )
    for name in names:
        if name not in known:
            raise Place("--step-reductions").unknown("reduction", name, known)
    return tuple(name for name in known if name in names)


def _with_only(scenario: Scenario, system: System, choices: Overrides) -> Scenario:
    """The scenario with the properties that the user names, and no others."""
    kinds = {
        "invariants": [
            *(predicate.__name__ for predicate in system.invariants),
            NO_DEADLOCK,
        ],
        "steps": [predicate.__name__ for predicate in system.steps],
        "witnesses": [predicate.__name__ for predicate in system.witnesses],
        "liveness": [*system.run_claims_by_name],
    }
    known = [name for kind in kinds.values() for name in kind]
    steps, witnesses = choices.claims.steps, choices.claims.witnesses
    for option, what, names, valid in (
        ("--invariant", "property", choices.properties, known),
        ("--step", "step property", steps, kinds["steps"]),
        ("--witness", "witness", witnesses, kinds["witnesses"]),
    ):
        for name in names:
            if name not in valid:
                _refuse_another_kind(scenario, Place(option), what, name, kinds)
                raise Place(option).unknown(what, name, valid)
    wanted = {*choices.properties, *steps, *witnesses}
    chosen = {
        kind: tuple(name for name in of_kind if name in wanted)
        for kind, of_kind in kinds.items()
    }
    return evolve(
        scenario,
        invariants=chosen["invariants"],
        steps=chosen["steps"],
        witnesses=chosen["witnesses"],
        liveness=chosen["liveness"],
    )


def _refuse_another_kind(
    scenario: Scenario,
    place: Place,
    expected: str,
    name: str,
    kinds: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a property that is there, and of another kind than is expected.

    Raises:
        ScenarioError: naming its kind, and the command that judges it.
    """
    for kind, known in kinds.items():
        if name in known:
            raise place.error(
                f"{name} is {KINDS[kind]}, expected a {expected}: `replicheck check"
                f" {scenario.name} --invariant {name}` judges it"
            )


def _with_stop(scenario: Scenario, choices: Overrides) -> Scenario:
    """The scenario with the user's stop; a longer search has other counts."""
    if choices.stop is None or choices.stop == scenario.stop:
        return scenario
    expect = scenario.expect
    if expect is not None and expect.verdict == "violated":
        expect = evolve(expect, states=None, depth=None)
    return evolve(scenario, stop=choices.stop, expect=expect)


def void_because_of(
    before: Scenario, after: Scenario, choices: Overrides
) -> tuple[str, ...]:
    """Options that make the expectation of a scenario void, if it has one.

    ``after`` is the scenario with what the user changes.
    """
    if before.expect is None:
        return ()
    counting = choices.settings.counting
    return tuple(
        option
        for option, is_same in (
            ("--protocol", before.protocol == after.protocol),
            ("--initial", before.initial == after.initial),
            ("--step-reductions", before.reductions == after.reductions),
            ("--reduce", counting is not Counting.REDUCED),
            ("--bounds", dict(before.bounds) == dict(after.bounds)),
            *(
                (option, before.safety == after.safety)
                for option in choices.claims.options(choices.properties)
            ),
            ("--symmetry", counting is not Counting.UP_TO_SYMMETRY),
        )
        if not is_same
    )
