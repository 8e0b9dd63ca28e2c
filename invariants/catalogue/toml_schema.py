"""From the tables of a TOML file to typed values: strict, with one clear message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, get_args, get_origin

import attrs
from attrs import frozen
from attrs.validators import min_len
from cattrs import BaseValidationError, Converter, ForbiddenExtraKeysError
from cattrs.errors import AttributeValidationNote, IterableValidationNote
from cattrs.gen import make_dict_structure_fn

from replicheck.invariants.catalogue.errors import Place, ScenarioError, suggestion
from replicheck.invariants.catalogue.scenario import (
    Expectation,
    LimitTable,
    Names,
    Range,
    StopName,
    VerdictName,
)

T = TypeVar("T")


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

    check: tuple[CheckTable, ...] = attrs.field(validator=min_len(1))
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
        ScenarioError: if a key is unknown or missing, or a value of another type.
    """
    converter = _converter()
    try:
        return converter.structure(table, into)
    except Exception as error:
        raise _explain(error, into, place) from error


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(int, _strict(int, "an integer"))
    converter.register_structure_hook(str, _strict(str, "a text"))
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_func(lambda hint: hint == Names, _names)
    converter.register_structure_hook_func(lambda hint: hint == Range, _range)
    converter.register_structure_hook_func(
        lambda hint: hint in (StopName, VerdictName), _choose
    )
    converter.register_structure_hook_factory(
        attrs.has, lambda hint: _table(make_dict_structure_fn(hint, converter))
    )
    return converter


class _Unexpected(Exception):
    """A value is not what its key expects; the message says what that is."""


def _strict(scalar: type, words: str) -> Callable[..., object]:
    def check(value: object, _: object) -> object:
        if type(value) is not scalar:
            raise _Unexpected(f"is {shown(value)}, expected {words}")
        return value

    return check


def _number(value: object, _: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Unexpected(f"is {shown(value)}, expected a number")
    return value


def _names(value: object, _: object) -> Names:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise _Unexpected(f"is {shown(value)}, expected a list of names")
    return tuple(value)


def _range(value: object, _: object) -> Range:
    match value:
        case [int(least), int(greatest)] if bool not in map(type, (least, greatest)):
            if least <= greatest:
                return least, greatest
    raise _Unexpected(
        f"is {value if isinstance(value, list) else shown(value)}, expected"
        " [least, greatest]"
    )


def _choose(value: object, hint: object) -> object:
    if value not in get_args(hint):
        raise _Unexpected(
            f"is {shown(value)}, expected one of "
            + ", ".join(f'"{choice}"' for choice in get_args(hint))
        )
    return value


def _table(from_mapping: Callable[..., Any]) -> Callable[..., Any]:
    def check(value: object, hint: object) -> object:
        if not isinstance(value, Mapping):
            raise _Unexpected(f"is {shown(value)}, expected a table")
        return from_mapping(value, hint)

    return check


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


def _explain(error: BaseException, into: Any, place: Place) -> ScenarioError:
    """The first thing that is wrong, with the path to its key."""
    if isinstance(error, BaseValidationError):
        # An unknown key explains a missing one, so it goes first.
        first = min(
            error.exceptions,
            key=lambda exception: not isinstance(exception, ForbiddenExtraKeysError),
        )
        for note in getattr(first, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                return _explain(first, note.type, place.at(note.name))
            if isinstance(note, IterableValidationNote):
                return _explain(first, note.type, _element(place, note.index))
        return _explain(first, getattr(error, "cl", into), place)
    if isinstance(error, ForbiddenExtraKeysError):
        key = sorted(error.extra_fields)[0]
        known = [field.name for field in attrs.fields(error.cl)]
        return place.at(key).error(f"there is no such key{suggestion(key, known)}")
    if isinstance(error, KeyError):
        return place.error("the key is missing")
    if isinstance(error, _Unexpected):
        return place.error(str(error))
    if isinstance(error, ValueError):
        return validator_error(error, place)
    return place.error(f"expected {_kind(into)}")


def _kind(hint: object) -> str:
    choices = [hint, *get_args(hint)]
    origins = [get_origin(choice) or choice for choice in choices]
    if tuple in origins:
        return "a list"
    return "a table" if Mapping in origins else f"another value ({hint})"


def _element(place: Place, index: Any) -> Place:
    return place.item(index + 1) if isinstance(index, int) else place.at(str(index))


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
