"""The scenarios and suites that come with replicheck, and a user's own files."""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import evolve, field, frozen

from replicheck.invariants.catalogue.errors import Place, no_such_argument
from replicheck.invariants.catalogue.lazy_mapping import Deferred, InOrder, Lazily
from replicheck.invariants.catalogue.own.offered_models import (
    SHIPPED,
    References,
    mutant_files,
    offered,
    scenario_files,
    systems_of,
    toml_files,
)
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.invariants.catalogue.resolution import scenario_from, scenario_of_check
from replicheck.invariants.catalogue.scenario import Scenario, Suite, suite_of
from replicheck.invariants.catalogue.size_limits import (
    read_suite_text,
    require_bounded_text,
    require_bounded_values,
    require_printable_path,
)
from replicheck.invariants.catalogue.systems import System
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


def _layers(*known: Mapping[str, Any]) -> MutableMapping[str, Any]:
    """Values by name, to which a user's own can be added; the first mapping counts."""
    return ChainMap({}, *(cast(MutableMapping[str, Any], names) for names in known))


@frozen
class Catalogue:
    """Everything that a user can choose by name."""

    systems: MutableMapping[str, System] = field(converter=_layers)
    scenarios: MutableMapping[str, Scenario] = field(factory=dict, converter=_layers)
    suites: Mapping[str, Suite] = field(factory=dict)
    mutants: Mapping[str, Mutant] = field(factory=dict)
    bugs: Mapping[str, Bug] = field(factory=dict)
    claims: list[str] = field(factory=list)
    """References to properties of the user's own that saved runs may be about."""

    @classmethod
    def shipped(cls) -> Self:
        """Catalogue of what comes with replicheck."""
        return cls.of(SHIPPED)

    @classmethod
    def of(cls, references: References) -> Self:
        """Catalogue of some models and of installed ones, and all suites.

        Models and files are read when something in them is first asked for.
        """
        here = resources.files("replicheck.invariants")
        suites: dict[str, Callable[[], Suite]] = {}
        offers = offered(references)

        def made(models: References) -> Callable[[], Mapping[str, Any]]:
            return lambda: catalogue._makers(models)

        systems = _layers(*map(systems_of, offers))
        scenarios = _layers(*(Lazily(Deferred(made(models))) for models in offers))
        catalogue = cls(
            systems,
            scenarios,
            Lazily(suites),
            Deferred(lambda: catalogue._mutants(offers)),
            Deferred(lambda: catalogue._bugs(here / "bugs.toml")),
        )
        for file, name in toml_files(here / "suites"):
            place = Place(f"suites/{file.name}")
            suites[name] = partial(_read, catalogue._suite, file, name, place)
        return catalogue

    def _makers(self, models: References) -> dict[str, Callable[[], Scenario]]:
        """What reads each scenario of some models.

        A model without files of scenarios has one, with its defaults.
        """
        found: dict[str, Callable[[], Scenario]] = {}
        for model, reference in models.items():
            files = scenario_files(reference)
            for file, name, place in files:
                found[name] = partial(_read, self.read_scenario, file, name, place)
            if not files:
                found[model] = partial(self._default_scenario, model)
        return dict(sorted(found.items()))

    def _default_scenario(self, model: str) -> Scenario:
        from replicheck.invariants.catalogue.own.model_loading import own_scenario

        return own_scenario(self.systems[model])

    def _mutants(self, offers: Iterable[References]) -> dict[str, Mutant]:
        mutants = [
            mutant
            for models in offers
            for reference in models.values()
            for file, place in mutant_files(reference)
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
            raise Place(argument or "''").error(
                "this is a folder: name a scenario, a suite, or a file with a suite;"
                " `replicheck list` has all that is shipped"
            )
        if argument.endswith(".toml") or "/" in argument or is_file:
            return self.read_suite_file(Path(argument))
        known = [*self.scenarios, *self.suites, *self.mutants]
        raise no_such_argument(argument, known, self.systems)

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
        require_printable_path(str(path), place)
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
        suite = self._suite(text, name, place)
        return evolve(suite, scenarios=suite.scenarios[:])

    def _suite(self, text: str, name: str, place: Place) -> Suite:
        """The same, but each entry is read, and found wrong, when it is asked for."""
        table = structure(_parsed(text, place), SuiteTable, place)
        table = self._with_own_names(table, Path(place.source).parent)
        known = self._known_to(table, place.at("scenarios"))
        places = [place.at("check").item(n) for n, _ in enumerate(table.check, start=1)]
        return Suite(
            name,
            table.summary,
            InOrder(
                partial(scenario_of_check, check, known, self.systems, at)
                for check, at in zip(table.check, places, strict=True)
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
