"""The scenarios and suites that come with replicheck, and a user's own files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from attrs import evolve, field, frozen

from replicheck.invariants.errors import Place, suggestion
from replicheck.invariants.mutant import Mutant
from replicheck.invariants.mutant_tables import MutantsTable, mutants_from
from replicheck.invariants.resolving import scenario_from, scenario_of_check
from replicheck.invariants.scenario import Scenario, Suite
from replicheck.invariants.structuring import ScenarioTable, SuiteTable, structure
from replicheck.invariants.systems import SYSTEMS, System

DEFAULT_SUITE = "default"


@frozen
class Catalogue:
    """Everything that a user can choose by name."""

    systems: Mapping[str, System]
    scenarios: Mapping[str, Scenario] = field(factory=dict)
    suites: Mapping[str, Suite] = field(factory=dict)
    mutants: Mapping[str, Mutant] = field(factory=dict)

    @classmethod
    def shipped(cls) -> Self:
        """Return the catalogue of what comes with replicheck."""
        catalogue = cls(SYSTEMS)
        here = resources.files("replicheck.invariants")
        for file in _toml_files(here / "scenarios"):
            place = Place(f"scenarios/{file.name}")
            name = file.name.removesuffix(".toml")
            scenario = catalogue.read_scenario(file.read_text("utf-8"), name, place)
            found = {**catalogue.scenarios, name: scenario}
            catalogue = evolve(catalogue, scenarios=found)
        suites = {}
        for file in _toml_files(here / "suites"):
            name = file.name.removesuffix(".toml")
            suites[name] = catalogue.read_suite(
                file.read_text("utf-8"), name, Place(f"suites/{file.name}")
            )
        mutants = [
            each
            for file in _toml_files(here / "mutants")
            for each in catalogue.read_mutants(
                file.read_text("utf-8"), Place(f"mutants/{file.name}")
            )
        ]
        by_name = {each.name: each for each in sorted(mutants, key=attrgetter("rank"))}
        return evolve(catalogue, suites=suites, mutants=by_name)

    def choose(self, argument: str) -> Suite:
        """Return what a user asks for: a scenario, a suite, or a file with a suite.

        Raises:
            ScenarioError: if there is no such thing, or it is wrong.
        """
        if argument in self.scenarios:
            scenario = self.scenarios[argument]
            return Suite(argument, scenario.summary, (scenario,))
        if argument in self.suites:
            return self.suites[argument]
        if argument in self.mutants:
            scenario = self.mutants[argument].scenario
            return Suite(argument, scenario.summary, (scenario,))
        if argument.endswith(".toml") or "/" in argument or Path(argument).is_file():
            return self.read_suite_file(Path(argument))
        known = [*self.scenarios, *self.suites, *self.mutants]
        raise Place(argument).error(
            f"there is no such scenario, suite or file{suggestion(argument, known)}"
        )

    def read_suite_file(self, path: Path) -> Suite:
        """Return the suite in a user's file.

        Raises:
            ScenarioError: if it cannot be read, or is wrong.
        """
        place = Place(str(path))
        try:
            text = path.read_text("utf-8")
        except OSError as error:
            raise place.error(f"cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise place.error("is no text in UTF-8") from error
        return self.read_suite(text, path.stem, place)

    def read_suite(self, text: str, name: str, place: Place) -> Suite:
        """Return the suite that a TOML text describes.

        Raises:
            ScenarioError: if it is wrong.
        """
        table = structure(_parsed(text, place), SuiteTable, place)
        return Suite(
            name,
            table.summary,
            tuple(
                scenario_of_check(
                    check, self.scenarios, self.systems, place.at("check").item(number)
                )
                for number, check in enumerate(table.check, start=1)
            ),
        )

    def read_scenario(self, text: str, name: str, place: Place) -> Scenario:
        """Return the scenario that a TOML text describes.

        Raises:
            ScenarioError: if it is wrong.
        """
        table = structure(_parsed(text, place), ScenarioTable, place)
        return scenario_from(table, name, self.systems, self.scenarios, place)

    def read_mutants(self, text: str, place: Place) -> tuple[Mutant, ...]:
        """Return the mutants that a TOML text describes.

        Raises:
            ScenarioError: if one is wrong.
        """
        table = structure(_parsed(text, place), MutantsTable, place)
        return tuple(mutants_from(table, self.systems, self.scenarios, place))

    def scenario(self, name: str) -> Scenario:
        """Return a scenario by its name, which may be that of a mutant."""
        if name in self.mutants:
            return self.mutants[name].scenario
        return self.scenarios[name]


def _parsed(text: str, place: Place) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise place.error(f"is no TOML: {error}") from error


def _toml_files(folder: Traversable) -> list[Traversable]:
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return sorted(files, key=lambda file: file.name.removesuffix(".toml"))
