"""From the tables of a TOML file to typed values: strict, with one clear message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import attrs
from attrs import frozen
from attrs.validators import min_len

from replicheck.invariants.catalogue.errors import Place, ScenarioError, suggestion
from replicheck.invariants.catalogue.scenario import (
    Expectation,
    LimitTable,
    Names,
    Range,
    StopName,
)

T = TypeVar("T")

HOW_TO_WRITE = "how_to_write"
"""Key of an attribute's metadata: what to write where the attribute is missing."""


@frozen
class CheckTable:
    """One entry of a suite: a scenario by name, and what is different here."""

    scenario: str
    protocol: str | None = None
    reductions: Names | None = None
    bounds: Mapping[str, int] | None = None
    invariants: Names | None = None
    steps: Names | None = None
    witnesses: Names | None = None
    liveness: Names | None = None
    stop: StopName | None = None
    limits: LimitTable | None = None
    dead_actions: Names | None = None
    unreached: Names | None = None
    vacuous: Names | None = None
    initial: str | None = None
    setup: Names | None = None
    expect: Expectation | None = None

    @property
    def overrides(self) -> dict[str, Any]:
        """Settings of an entry, but for the scenario's name and the expectation."""
        given = attrs.asdict(self, recurse=False)
        rest = {key: value for key, value in given.items() if value is not None}
        return {k: v for k, v in rest.items() if k not in ("scenario", "expect")}


@frozen
class ScenarioTable:
    """A scenario file. Properties that it does not name are all those of the model.

    But for those of ``liveness``, which takes more time than all others together.

    ``after`` names another scenario, at the end of whose sequence this one begins.
    """

    summary: str
    model: str
    protocol: str
    reductions: Names = ()
    bounds: Mapping[str, int] = attrs.field(factory=dict)
    invariants: Names | None = None
    steps: Names | None = None
    witnesses: Names | None = None
    liveness: Names = ()
    stop: StopName = "first-violation"
    limits: LimitTable = LimitTable()
    dead_actions: Names = ()
    unreached: Names = ()
    vacuous: Names | None = None
    expect: Expectation | None = None
    initial: str = ""
    after: str = ""
    setup: Names = ()
    sequence: Names = ()
    ranges: Mapping[str, Range] = attrs.field(factory=dict)


@frozen
class SuiteTable:
    """A suite file: its checks are written as ``[[check]]``.

    ``scenarios`` are its own, written as ``[scenarios.NAME]``.
    """

    check: tuple[CheckTable, ...] = attrs.field(
        validator=min_len(1),
        metadata={HOW_TO_WRITE: '[[check]] and below it scenario = "NAME"'},
    )
    summary: str = ""
    scenarios: Mapping[str, ScenarioTable] = attrs.field(factory=dict)

    @property
    def names(self) -> Iterator[str]:
        """Yield the names of models, scenarios and properties in it."""
        for check in self.check:
            yield check.scenario
            yield from _claims(check)
        for scenario in self.scenarios.values():
            yield scenario.model
            yield from _claims(scenario)


def _claims(table: CheckTable | ScenarioTable) -> Names:
    of_states = (table.invariants or ()) + (table.witnesses or ())
    return of_states + (table.steps or ()) + (table.liveness or ())


def structure(table: object, into: type[T], place: Place) -> T:
    """A table as a value of an attrs class.

    Raises:
        ScenarioError: if a key is unknown or missing, or a value of another type. An
            unknown key explains a missing one, so it goes first.
    """
    if not isinstance(table, Mapping):
        raise _unexpected(table, "a table", place)
    attributes: Any = into
    hints = _hints(attributes)
    for key in sorted(table.keys() - hints.keys()):
        raise place.at(key).error(f"there is no such key{suggestion(key, hints)}")
    required = _required(attributes)
    missing = [key for key in required if key not in table]
    if missing:
        first, *others = missing
        verb = "is" if len(others) == 1 else "are"
        also = f", as {verb} {', '.join(others)}" if others else ""
        hint = f"; write {required[first]}" if required[first] else ""
        raise place.at(first).error(f"the key is missing{also}{hint}")
    values = {
        key: _value(table[key], hint, place.at(key))
        for key, hint in hints.items()
        if key in table
    }
    try:
        return into(**values)
    except ValueError as error:
        raise validator_error(error, place) from error


@cache
def _hints(into: type) -> Mapping[str, Any]:
    """The type of each attribute of an attrs class."""
    return get_type_hints(into)


@cache
def _required(into: Any) -> Mapping[str, str]:
    """The attributes that have no default, each with what to write, if that is said."""
    return {
        attribute.name: attribute.metadata.get(HOW_TO_WRITE, "")
        for attribute in attrs.fields(into)
        if attribute.default is attrs.NOTHING
    }


def _value(value: object, hint: Any, place: Place) -> object:
    """A value of the type that an attribute has.

    Raises:
        ScenarioError: if it is of another type.
    """
    if hint in _READERS:
        return _READERS[hint](value, place)
    if attrs.has(hint):
        return structure(value, hint, place)
    parts = get_args(hint)
    if NoneType in parts:
        return None if value is None else _value(value, parts[0], place)
    origin = get_origin(hint)
    if origin is tuple:
        return _elements(value, parts[0], place)
    if origin is Mapping:
        return _entries(value, parts[1], place)
    return _choice(value, parts, place)


def _text(value: object, place: Place) -> str:
    if type(value) is not str:
        raise _unexpected(value, "a text", place)
    return value


def _integer(value: object, place: Place) -> int:
    if type(value) is not int:
        raise _unexpected(value, "an integer", place)
    return value


def _number(value: object, place: Place) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unexpected(value, "a number", place)
    return value


def _names(value: object, place: Place) -> Names:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise _unexpected(value, "a list of names", place)
    return tuple(value)


def _range(value: object, place: Place) -> Range:
    match value:
        case [int(least), int(greatest)] if bool not in map(type, (least, greatest)):
            if least <= greatest:
                return least, greatest
    given = value if isinstance(value, list) else shown(value)
    raise place.error(f"is {given}, expected [least, greatest]")


_READERS: Mapping[object, Callable[[object, Place], object]] = {
    str: _text,
    int: _integer,
    float: _number,
    Names: _names,
    Range: _range,
}


def _elements(value: object, hint: Any, place: Place) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise _unexpected(value, "a list", place)
    return tuple(
        _value(element, hint, place.item(number))
        for number, element in enumerate(value, start=1)
    )


def _entries(value: object, hint: Any, place: Place) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _unexpected(value, "a table", place)
    return {key: _value(entry, hint, place.at(key)) for key, entry in value.items()}


def _choice(value: object, choices: tuple[object, ...], place: Place) -> object:
    if value not in choices:
        names = ", ".join(f'"{choice}"' for choice in choices)
        raise _unexpected(value, f"one of {names}", place)
    return value


def _unexpected(value: object, expected: str, place: Place) -> ScenarioError:
    return place.error(f"is {shown(value)}, expected {expected}")


def shown(value: object) -> str:
    """A value as it is written in TOML, or what kind of thing it is."""
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return str(value).lower()
        case Mapping():
            return "a table"
        case list():
            return "a list"
    return str(value)


def validator_error(error: ValueError, place: Place) -> ScenarioError:
    """The error of an attrs validator, at the attribute that it names."""
    text = str(error.args[0]) if error.args else str(error)
    attribute = re.match(r"'(\w+)' must|Length of '(\w+)'", text)
    inside = place.at(attribute[1] or attribute[2]) if attribute else place
    return inside.error(without_attribute(text))


def without_attribute(text: str) -> str:
    """Message of an attrs validator, without the name of the attribute."""
    if found := re.fullmatch(r"'\w+' must be in \((.+?),?\) \(got (.+)\)", text):
        return f"is {found[2]}, expected one of {found[1]}"
    if found := re.fullmatch(r"'\w+' must be (.+): (.+)", text):
        return f"is {found[2]}, expected a value {found[1]}"
    return text
