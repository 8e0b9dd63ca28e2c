"""The scenarios and suites that come with replicheck, and a user's own files."""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import field, frozen

from replicheck.invariants.catalogue.errors import Place, suggestion
from replicheck.invariants.catalogue.lazy_mapping import Deferred, Lazily
from replicheck.invariants.catalogue.own.installed_models import (
    with_installed_scenarios,
    with_installed_systems,
)
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.invariants.catalogue.resolution import scenario_from, scenario_of_check
from replicheck.invariants.catalogue.scenario import Scenario, Suite, suite_of
from replicheck.invariants.catalogue.size_limits import (
    read_suite_text,
    require_bounded_text,
    require_bounded_values,
)
from replicheck.invariants.catalogue.systems import SYSTEMS, System, package_of
from replicheck.invariants.catalogue.toml_schema import (
    ScenarioTable,
    SuiteTable,
    structure,
)

if TYPE_CHECKING:
    from replicheck.invariants.catalogue.bugs import Bug
    from replicheck.invariants.catalogue.mutants import Mutant

DEFAULT_SUITE = "default"
NAME = re.compile(r"\w[\w .+-]*")
"""The name of a user's scenario: files are named after it."""
V = TypeVar("V")


@frozen
class Catalogue:
    """Everything that a user can choose by name."""

    systems: MutableMapping[str, System] = field(converter=with_installed_systems)
    scenarios: MutableMapping[str, Scenario] = field(
        factory=dict, converter=with_installed_scenarios
    )
    suites: Mapping[str, Suite] = field(factory=dict)
    mutants: Mapping[str, Mutant] = field(factory=dict)
    bugs: Mapping[str, Bug] = field(factory=dict)
    claims: list[str] = field(factory=list)
    """References to properties of the user's own that saved runs may be about."""

    @classmethod
    def shipped(cls) -> Self:
        """Catalogue of what comes with replicheck."""
        return cls.of(SYSTEMS)

    @classmethod
    def of(cls, systems: Mapping[str, System]) -> Self:
        """Catalogue of some models with the files in their folders, and all suites.

        The files are read when something in them is first asked for.
        """
        here = resources.files("replicheck.invariants")
        scenarios: dict[str, Callable[[], Scenario]] = {}
        suites: dict[str, Callable[[], Suite]] = {}
        catalogue = cls(
            systems,
            Lazily(scenarios),
            Lazily(suites),
            Deferred(lambda: catalogue._mutants(systems)),
            Deferred(lambda: catalogue._bugs(here / "bugs.toml")),
        )
        for file, name, place in sorted(_scenario_files(systems), key=itemgetter(1)):
            scenarios[name] = partial(_read, catalogue.read_scenario, file, name, place)
        for file, name in _toml_files(here / "suites"):
            place = Place(f"suites/{file.name}")
            suites[name] = partial(_read, catalogue.read_suite, file, name, place)
        return catalogue

    def _mutants(self, models: Iterable[str]) -> dict[str, Mutant]:
        mutants = [
            mutant
            for model in models
            for file, place in _mutant_files(model)
            for mutant in self.read_mutants(file.read_text("utf-8"), place)
        ]
        return {
            mutant.name: mutant for mutant in sorted(mutants, key=attrgetter("rank"))
        }

    def _bugs(self, file: Traversable) -> dict[str, Bug]:
        return self.read_bugs(file.read_text("utf-8"), Place(file.name))

    def choose(self, argument: str) -> Suite:
        """Suite that a user asks for: a scenario, a suite, or a file with either.

        Raises:
            ScenarioError: if there is no such thing, or it is wrong.
        """
        if is_reference(argument):
            return suite_of(argument, self.load(argument))
        if argument in self.scenarios:
            return suite_of(argument, self.scenarios[argument])
        if argument in self.suites:
            return self.suites[argument]
        if argument in self.mutants:
            return suite_of(argument, self.mutants[argument].scenario)
        try:
            is_folder, is_file = Path(argument).is_dir(), Path(argument).is_file()
        except OSError as error:
            raise Place(argument).error(f"cannot be read: {error.strerror}") from error
        if is_folder:
            raise Place(argument).error(
                "this is a folder: name a scenario, a suite, or a file with a suite;"
                " `replicheck list` has all that is shipped"
            )
        if argument.endswith(".toml") or "/" in argument or is_file:
            return self.read_suite_file(Path(argument))
        known = [*self.scenarios, *self.suites, *self.mutants]
        raise Place(argument).error(
            f"there is no such scenario, suite or file{suggestion(argument, known)}"
        )

    def load(self, reference: str) -> Scenario:
        """Scenario of a model of the user's own, which can be named from now on.

        Args:
            reference: ``FILE.py``, ``FILE.py:NAME`` or ``package.module:NAME``.

        Raises:
            ScenarioError: if there is no such model, or it cannot be explored.
        """
        from replicheck.invariants.catalogue.own.registration import add_model

        return self.scenarios[add_model(self.systems, self.scenarios, reference)]

    def read_suite_file(self, path: Path) -> Suite:
        """The suite in a user's file.

        Raises:
            ScenarioError: if it cannot be read, or is wrong.
        """
        place = Place(str(path))
        try:
            text = read_suite_text(path)
        except OSError as error:
            raise place.error(f"cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise place.error("is no text in UTF-8") from error
        return self.read_suite(text, path.stem, place)

    def read_suite(self, text: str, name: str, place: Place) -> Suite:
        """The suite that a TOML text describes.

        Raises:
            ScenarioError: if it is wrong.
        """
        table = structure(_parsed(text, place), SuiteTable, place)
        table = self._with_own_names(table, Path(place.source).parent)
        known = self._known_to(table, place.at("scenarios"))
        return Suite(
            name,
            table.summary,
            tuple(
                scenario_of_check(
                    check, known, self.systems, place.at("check").item(number)
                )
                for number, check in enumerate(table.check, start=1)
            ),
        )

    def _with_own_names(self, table: SuiteTable, folder: Path) -> SuiteTable:
        """The suite, with the references in it to a user's own resolved."""
        if not any(map(is_reference, table.names)):
            return table
        from replicheck.invariants.catalogue.own.registration import with_own_names

        return with_own_names(table, self.systems, self.scenarios, folder)

    def _known_to(self, table: SuiteTable, place: Place) -> Mapping[str, Scenario]:
        """All scenarios that the entries of a suite can name.

        One of its own can begin after another that stands before it.
        """
        own: dict[str, Scenario] = {}
        known = ChainMap(own, self.scenarios)
        for name, scenario in table.scenarios.items():
            if not NAME.fullmatch(name):
                raise place.error(
                    f"{name!r} is no name: expected a letter or digit, then letters,"
                    " digits, spaces, and any of . _ + -"
                )
            if name in self.scenarios:
                raise place.at(name).error(
                    "there is a shipped scenario of this name; choose another"
                )
            own[name] = scenario_from(
                scenario, name, self.systems, known, place.at(name)
            )
        return known

    def read_scenario(self, text: str, name: str, place: Place) -> Scenario:
        """The scenario that a TOML text describes.

        Raises:
            ScenarioError: if it is wrong.
        """
        table = structure(_parsed(text, place), ScenarioTable, place)
        return scenario_from(table, name, self.systems, self.scenarios, place)

    def read_mutants(self, text: str, place: Place) -> tuple[Mutant, ...]:
        """The mutants that a TOML text describes.

        Raises:
            ScenarioError: if one is wrong.
        """
        from replicheck.invariants.catalogue.mutants import MutantsTable, mutants_from

        table = structure(_parsed(text, place), MutantsTable, place)
        return tuple(mutants_from(table, self.systems, self.scenarios, place))

    def read_bugs(self, text: str, place: Place) -> dict[str, Bug]:
        """The bugs that a TOML text describes, each by its name.

        Raises:
            ScenarioError: if one is wrong.
        """
        from replicheck.invariants.catalogue.bugs import read_bugs

        return read_bugs(_parsed(text, place), self.mutants, place)


def _parsed(text: str, place: Place) -> dict[str, Any]:
    require_bounded_text(text, place)
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise place.error("is nested too deeply") from error
    except ValueError as error:
        # Too long an integer is no error of TOML, but of Python.
        raise place.error(f"is no TOML: {error}") from error
    require_bounded_values(values, place)
    return values


def _read(
    read: Callable[[str, str, Place], V], file: Traversable, name: str, place: Place
) -> V:
    return read(file.read_text("utf-8"), name, place)


def _scenario_files(
    models: Iterable[str],
) -> Iterator[tuple[Traversable, str, Place]]:
    for model in models:
        folder = resources.files(package_of(model))
        for file, name in _toml_files(folder / "scenarios"):
            yield file, name, Place(f"{folder.name}/scenarios/{file.name}")


def _mutant_files(model: str) -> Iterator[tuple[Traversable, Place]]:
    """Files of a model's mutants: one, or a folder of them."""
    folder = resources.files(package_of(model))
    single = folder / "mutants.toml"
    if single.is_file():
        yield single, Place(f"{folder.name}/mutants.toml")
    for file, _ in _toml_files(folder / "mutants"):
        yield file, Place(f"{folder.name}/mutants/{file.name}")


def _toml_files(folder: Traversable) -> list[tuple[Traversable, str]]:
    """Files of a folder, if there is one, with what each is the file of, in order."""
    if not folder.is_dir():
        return []
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    named = [(file, file.name.removesuffix(".toml")) for file in files]
    return sorted(named, key=itemgetter(1))
