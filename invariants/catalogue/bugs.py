"""The register of Kafka's own bugs, and which mutants reproduce them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from attrs import field, frozen
from attrs.validators import in_, min_len

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.scenario import Name, Names
from replicheck.invariants.catalogue.toml_schema import structure

TIERS = ("must", "should", "extra")
Status = Literal["reproduced", "equivalent", "liveness", "outside", "not-yet"]
STATUSES: tuple[Status, ...] = (
    "reproduced",
    "equivalent",
    "liveness",
    "outside",
    "not-yet",
)
"""What can become of a bug. A key of that name says so, and none that it is not yet
looked at."""
ISSUE = re.compile(r"[A-Z]+-\d+|MINOR #\d+")


@frozen
class KnownLasso:
    """A run for ever that shows a bug, as a claim about runs finds it.

    ``search`` is a mutant or a scenario, ``states`` are those of the run, and the last
    ``repeats`` steps repeat; 0 is a run that stands still.
    """

    search: Name
    claim: Name
    states: int
    repeats: int


@frozen
class BugTable:
    """One bug, written as ``[[bug]]``.

    ``rule`` is the rule that Kafka broke, and ``instead`` what it did. At most one key
    says what became of it: ``reproduced`` names the mutants that break the same rule in
    the same way; ``liveness`` names mutants that only a property of whole runs would
    catch; ``equivalent`` argues why nothing can catch it; ``outside`` says why no model
    has what it is about. ``differs`` says in what the mutants that reproduce it are not
    one function of the model, or not what Kafka did. ``lasso`` is there if what it does
    for ever is found, too.
    """

    name: str
    title: str
    tier: str = field(validator=in_(TIERS))
    rule: str
    instead: str
    fixed_in: str
    reproduced: Names = ()
    differs: str = ""
    liveness: Names = ()
    equivalent: str = ""
    outside: str = ""
    lasso: KnownLasso | None = None


@frozen
class BugsTable:
    """A file of bugs."""

    bug: tuple[BugTable, ...] = field(validator=min_len(1))


@frozen
class Bug:
    """A bug that Kafka had.

    ``reason`` says why there is no mutant, if so, and ``differs`` in what its mutants
    differ from it.
    """

    name: str
    title: str
    tier: str
    rule: str
    instead: str
    fixed_in: str
    status: Status
    mutants: tuple[Mutant, ...] = ()
    reason: str = ""
    differs: str = ""
    lasso: KnownLasso | None = None

    @property
    def issues(self) -> tuple[str, ...]:
        """The issues of Kafka that it is known by."""
        return tuple(ISSUE.findall(self.name))

    @property
    def is_missing(self) -> bool:
        """Tell whether it must be shown, and is not."""
        return self.tier == "must" and self.status not in ("reproduced", "equivalent")


def read_bugs(
    tables: object, mutants: Mapping[Name, Mutant], place: Place
) -> dict[str, Bug]:
    """The bugs of a file, each by its name.

    Raises:
        ScenarioError: if a key is wrong, a name is there twice or names no mutant that
            is expected to be what the bug says.
    """
    bugs: dict[str, Bug] = {}
    for number, table in enumerate(structure(tables, BugsTable, place).bug, start=1):
        here = place.at("bug").item(number)
        if table.name in bugs:
            raise here.at("name").error(f'"{table.name}" is there twice')
        bugs[table.name] = _bug(table, mutants, here)
    return bugs


def _bug(table: BugTable, mutants: Mapping[Name, Mutant], place: Place) -> Bug:
    status = _status(table, place)
    return Bug(
        table.name,
        table.title,
        table.tier,
        table.rule,
        table.instead,
        table.fixed_in,
        status,
        tuple(_mutants(table, mutants, place)),
        table.equivalent or table.outside,
        table.differs,
        table.lasso,
    )


def _status(table: BugTable, place: Place) -> Status:
    given = [status for status in STATUSES[:-1] if getattr(table, status)]
    if len(given) > 1:
        raise place.error(f"has {' and '.join(given)}; give at most one of them")
    return given[0] if given else STATUSES[-1]


def _mutants(
    table: BugTable, mutants: Mapping[Name, Mutant], place: Place
) -> Iterator[Mutant]:
    for key, names, expected in (
        ("reproduced", table.reproduced, "killed"),
        ("liveness", table.liveness, "alive"),
    ):
        for name in names:
            if name not in mutants:
                raise place.at(key).unknown("mutant", name, mutants)
            mutant = mutants[name]
            if mutant.expected != expected:
                raise place.at(key).error(
                    f'"{name}" is expected to be {mutant.expected}, not {expected}'
                )
            yield mutant
