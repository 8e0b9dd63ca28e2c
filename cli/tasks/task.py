"""Tasks: scenarios as a user wants them, ready for an engine."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
from attrs import evolve, frozen

from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.overrides import (
    Claims,
    places_of,
    void_because_of,
    with_overrides,
)
from replicheck.cli.tasks.overrides import Overrides as Overrides
from replicheck.cli.tasks.suite_entry import Entry, limit_words, stop_words
from replicheck.explorer.engine import Limits, Search, Stop, Watch
from replicheck.explorer.model import Model
from replicheck.explorer.properties import (
    Property,
    always,
    every_step,
    no_deadlock,
    sometimes,
)
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.invariants.catalogue.scenario import Scenario, StopName
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.catalogue.systems import (
    NO_DEADLOCK,
    System,
    summary_line,
)

STOPS: Mapping[StopName, Stop] = {
    "first-violation": Stop.FIRST_VIOLATION,
    "decided": Stop.DECIDED,
    "exhausted": Stop.EXHAUSTED,
}


@frozen
class Task:
    """One search: a scenario with what the user changed of it.

    ``shipped`` is the scenario without the changes; ``void`` names the options because
    of which an expectation of the scenario is skipped.
    """

    scenario: Scenario
    shipped: Scenario
    system: System
    engine: str
    settings: Settings = Settings()
    void: tuple[str, ...] = ()
    entry: Entry | None = None

    @property
    def model(self) -> Model[Any]:
        """The model under the protocol, within the bounds."""
        place = Place(self.scenario.name)
        model: Model[Any] = model_of(self.scenario, self.system, place)
        return model

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that the engine judges."""
        predicates = self.system.predicates
        return (
            *(
                no_deadlock() if name == NO_DEADLOCK else always(predicates[name])
                for name in self.scenario.invariants
            ),
            *(every_step(predicates[name]) for name in self.scenario.steps),
            *(sometimes(predicates[name]) for name in self.scenario.witnesses),
        )

    @property
    def run_claims(self) -> tuple[Property, ...]:
        """The claims about runs that go on for ever."""
        if not self.scenario.liveness:
            return ()
        # Imported only here: most searches claim nothing of runs.
        from replicheck.cli.tasks.run_properties import property_of

        known = self.system.run_claims_by_name
        return tuple(property_of(known[name]) for name in self.scenario.liveness)

    @property
    def judges_runs(self) -> bool:
        """Whether the graph of all states is looked at."""
        return self.settings.livelocks or bool(self.scenario.liveness)

    def search(self, watch: Watch) -> Search:
        """Limits and end of the search, watched by ``watch``."""
        limits = Limits(**attrs.asdict(self.scenario.limits))
        return Search(limits, STOPS[self.scenario.stop], watch)

    def claim_text(self, name: str) -> str:
        """The claim of a property, for a person."""
        if name == NO_DEADLOCK:
            return "Some action is enabled in every reachable state."
        runs = self.system.run_claims_by_name
        if name in runs:
            return runs[name].summary
        return summary_line(self.system.predicates[name])

    @property
    def bounds_text(self) -> str:
        """The bounds as ``--bounds`` takes them."""
        return ",".join(f"{key}={value}" for key, value in self.scenario.bounds.items())

    @property
    def bounds_in_short(self) -> str:
        """Reductions and bounds for a table; bounds of 0 allow nothing."""
        return ", ".join(self._in_short)

    @property
    def _in_short(self) -> list[str]:
        bounds = self.scenario.bounds.items()
        positive = [f"{key}={value}" for key, value in bounds if value]
        if self.scenario.initial != self.shipped.initial:
            positive.append(f"initial={self.scenario.initial}")
        return [*positive, *(f"reduction={name}" for name in self.scenario.reductions)]

    @property
    def title(self) -> str:
        """Scenario, protocol, bounds but those of 0, and reductions in one line."""
        names = dict.fromkeys((self.scenario.name, self.scenario.protocol))
        return ", ".join(filter(None, (*names, ",".join(self._in_short))))

    @property
    def recipe(self) -> dict[str, Any]:
        """The search in a form that JSON can hold."""
        return {
            "search": self.title,
            "properties": list(self.scenario.properties),
            "stop": self.scenario.stop,
            "counting": self.settings.counting.value,
        }

    @property
    def _claims_in_words(self) -> list[str]:
        known, scenario = self.system.references, self.scenario
        own = Claims(
            tuple(known[name] for name in scenario.steps if name in known),
            tuple(known[name] for name in scenario.witnesses if name in known),
        )
        told = {
            name for name in (*scenario.steps, *scenario.witnesses) if name in known
        }
        others = (name for name in scenario.properties if name not in told)
        return own.words(tuple(known.get(name, name) for name in others))

    @property
    def _has_its_claims(self) -> bool:
        """Whether it judges what its scenario claims, with ``--livelocks`` or not."""
        of_runs = {self.shipped.liveness}
        if self.settings.livelocks:
            of_runs.add((*self.system.run_claims_by_name,))
        is_same = self.scenario.safety == self.shipped.safety
        return is_same and self.scenario.liveness in of_runs

    @property
    def command(self) -> str:
        """The command that repeats this result."""
        if self.entry is not None:
            return self.entry.command
        words = ["replicheck", "check", self.scenario.name]
        words += ["--protocol", self.scenario.protocol]
        if self.scenario.initial != self.shipped.initial:
            words += ["--initial", self.scenario.initial]
        if self.scenario.reductions != self.shipped.reductions:
            words += ["--step-reductions", ",".join(self.scenario.reductions) or "none"]
        shipped = self.shipped.bounds
        bounds = self.scenario.bounds.items()
        changed = [f"{key}={value}" for key, value in bounds if value != shipped[key]]
        if changed:
            words += ["--bounds", ",".join(changed)]
        words += ["--engine", self.engine, *self.settings.words]
        if not self._has_its_claims:
            words += self._claims_in_words
        words += limit_words(self.scenario.limits)
        return shlex.join([*words, *stop_words(self.scenario.stop)])


def tasks(
    catalogue: Catalogue, arguments: Sequence[str], choices: Overrides
) -> list[Task]:
    """The searches that are asked for.

    Options can make several entries of a suite the same search. It is done once: as
    the suite has it if one entry is as it was, else with the most properties.

    Raises:
        ScenarioError: if a name or a bound is wrong.
    """
    found = []
    chosen = list(_chosen(catalogue, arguments, choices))
    for entry, scenario in chosen:
        system = catalogue.systems[scenario.model]
        try:
            system, wanted = _own_properties(system, choices)
            changed = with_overrides(scenario, system, wanted)
        except ScenarioError as error:
            which = f"{scenario.name}: " if len(chosen) > 1 else ""
            raise ScenarioError(f"{which}{error}") from error
        void = void_because_of(scenario, changed, choices)
        if void:
            changed = evolve(changed, expect=None)
        model_of(changed, system, *places_of(scenario, choices))
        settings = choices.settings
        task = Task(changed, scenario, system, choices.engine, settings, void, entry)
        found.append((scenario, task))
    return _distinct(found)


def _own_properties(system: System, choices: Overrides) -> tuple[System, Overrides]:
    """The system with the properties that references name, and the names of all."""
    claims = choices.claims
    named = choices.properties + claims.steps + claims.witnesses
    if not any(map(is_reference, named)):
        return system, choices
    from replicheck.invariants.catalogue.own.own_properties import with_own_properties

    system, properties = with_own_properties(system, choices.properties)
    system, steps = with_own_properties(system, claims.steps, "steps")
    system, witnesses = with_own_properties(system, claims.witnesses, "witnesses")
    wanted = evolve(choices, properties=properties, claims=Claims(steps, witnesses))
    return system, wanted


def _chosen(
    catalogue: Catalogue, arguments: Sequence[str], choices: Overrides
) -> Iterator[tuple[Entry | None, Scenario]]:
    """Yield the scenarios that are asked for; one of a suite has its entry."""
    if choices.entries and len(arguments) != 1:
        raise Place("--entry").error("is of one suite, and here are several")
    for argument in arguments:
        scenarios = catalogue.choose(argument).scenarios
        for number in choices.entries:
            if not 1 <= number <= len(scenarios):
                raise Place("--entry").error(
                    f"is {number}, expected 1 to {len(scenarios)}: so many entries has"
                    f" {argument}"
                )
        is_suite = not (argument in catalogue.scenarios or is_reference(argument))
        for number in sorted({*choices.entries}) or range(1, 1 + len(scenarios)):
            entry = Entry(argument, number, choices.words) if is_suite else None
            yield entry, scenarios[number - 1]


def _distinct(found: Sequence[tuple[Scenario, Task]]) -> list[Task]:
    untouched = {_instance(task) for before, task in found if _is_same(before, task)}
    kept: dict[Any, Task] = {}
    for before, task in found:
        key: Any = _instance(task)
        if _is_same(before, task):
            key = repr(task.scenario)
        elif key in untouched:
            continue
        rival = kept.setdefault(key, task)
        if len(task.scenario.properties) > len(rival.scenario.properties):
            kept[key] = task
    return list(kept.values())


def _instance(task: Task) -> tuple[object, ...]:
    scenario = task.scenario
    start = scenario.protocol, scenario.initial, scenario.reductions
    return (scenario.name, *start, task.bounds_text)


def _is_same(before: Scenario, task: Task) -> bool:
    after = task.scenario
    return all(
        getattr(before, name) == getattr(after, name)
        for name in ("protocol", "initial", "reductions", "bounds", "properties")
    )
