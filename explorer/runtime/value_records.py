"""Values as records that JSON can hold, and back again, without running anything.

A record is an atom (None, a truth value, a number, a text) or a list: a tag and the
places of the parts among the records before it. So a value that is part of many is
written once, and no file is nested. A class is named by its module and its own name; it
is looked up among those that this process has loaded, and its values are filled without
a call of it: such a file can cause neither an import nor a call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import Enum, Flag
from typing import Any

import attrs

TUPLE, SET, BYTES, FLOAT = "tuple", "set", "bytes", "float"
FIELDS, MEMBER, NAMED, CLASS = "fields", "member", "named", "class"
NUMBER = "number"
PLAIN = (object, bool, int, str, bytes, float, tuple, frozenset, type(None))
"""Classes that are values themselves, beside those of enumerations and fields."""
HASH = "_attrs_cached_hash"


class RecordError(ValueError):
    """A value has no record, or a record stands for no value of this process."""


class ValueWriter:
    """Writes values as records."""

    def __init__(self) -> None:
        self._records: list[Any] = []
        self._classes: dict[type, int] = {}
        self._places: dict[Any, int] = {}
        self._known: dict[int, int] = {}
        self._alive: list[Any] = []

    @property
    def as_json(self) -> dict[str, Any]:
        """All records, and the classes that they name by number."""
        return {
            "classes": [_name(kind) for kind in self._classes],
            "records": self._records,
        }

    def add(self, value: Any) -> int:
        """Write a value; return its place.

        Raises:
            RecordError: if it holds something of which there is no record.
        """
        place = self._known.get(id(value))
        if place is None:
            place = self._place(self._record(value))
            self._known[id(value)] = place
            # Another value could have the number of one that is no more.
            self._alive.append(value)
        return place

    def add_all(self, values: Iterable[Any]) -> list[int]:
        """Write some values; return their places."""
        return [self.add(value) for value in values]

    def _place(self, record: Any) -> int:
        key = tuple(record) if isinstance(record, list) else (type(record), record)
        place = self._places.setdefault(key, len(self._records))
        if place == len(self._records):
            self._records.append(record)
        return place

    def _record(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return [FLOAT, value.hex()]
        if kind is bytes:
            return [BYTES, value.hex()]
        if kind is tuple:
            return [TUPLE, *self.add_all(value)]
        if kind is frozenset:
            return [SET, *self.add_all(value)]
        if isinstance(value, type) and _is_plain(value):
            return [CLASS, self._class(value)]
        if isinstance(value, Enum):
            which = value.value if isinstance(value, Flag) else value.name
            return [MEMBER, self._class(kind), self.add(which)]
        if isinstance(value, tuple):
            return [NAMED, self._class(kind), *self.add_all(value)]
        if isinstance(value, int):
            return [NUMBER, self._class(kind), self.add(int(value))]
        if attrs.has(kind):
            parts = [getattr(value, field.name) for field in attrs.fields(kind)]
            return [FIELDS, self._class(kind), *self.add_all(parts)]
        raise RecordError(f"{value!r} of type {kind.__name__} has no record")

    def _class(self, kind: type) -> int:
        if kind not in self._classes:
            if _find(_name(kind)) is not kind:
                raise RecordError(f"{_name(kind)} is no class of a module")
            self._classes[kind] = len(self._classes)
        return self._classes[kind]


class ValueReader:
    """Reads values that a `ValueWriter` wrote."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        """Read all records.

        Raises:
            RecordError: if one stands for no value of this process.
        """
        self._values: list[Any] = []
        makers: Mapping[str, Callable[[list[Any]], Any]] = {
            FLOAT: lambda parts: float.fromhex(parts[0]),
            BYTES: lambda parts: bytes.fromhex(parts[0]),
            TUPLE: lambda parts: tuple(self.at_all(parts)),
            SET: lambda parts: frozenset(self.at_all(parts)),
            CLASS: lambda parts: self._class(*parts),
            MEMBER: lambda parts: self._member(*parts),
            NAMED: lambda parts: self._named(*parts),
            NUMBER: lambda parts: self._number(*parts),
            FIELDS: lambda parts: self._filled(*parts),
        }
        try:
            self._classes = [_loaded(name) for name in body["classes"]]
            for record in body["records"]:
                if isinstance(record, list):
                    record = makers[record[0]](record[1:])
                self._values.append(record)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"a record cannot be read: {error}") from error

    def at(self, place: int) -> Any:
        """Value at a place.

        Raises:
            RecordError: if there is none.
        """
        if not (type(place) is int and 0 <= place < len(self._values)):
            raise RecordError(f"there is no record {place!r}")
        return self._values[place]

    def at_all(self, indices: Iterable[int]) -> list[Any]:
        """Values at some places."""
        return [self.at(place) for place in indices]

    def _class(self, number: int) -> type:
        kind = self._classes[number]
        if not _is_plain(kind):
            raise RecordError(f"{_name(kind)} is no class of values")
        return kind

    def _member(self, number: int, name: int) -> Any:
        kind: Any = self._classes[number]
        if not issubclass(kind, Enum):
            raise RecordError(f"{_name(kind)} has no members")
        which = self.at(name)
        return kind(which) if issubclass(kind, Flag) else kind.__members__[which]

    def _named(self, number: int, *indices: int) -> Any:
        kind: Any = self._classes[number]
        if not issubclass(kind, tuple) or len(kind._fields) != len(indices):
            raise RecordError(f"{_name(kind)} has other fields")
        return tuple.__new__(kind, self.at_all(indices))

    def _number(self, number: int, place: int) -> int:
        kind = self._classes[number]
        if not issubclass(kind, int) or issubclass(kind, Enum | bool):
            raise RecordError(f"{_name(kind)} has no numbers")
        found: int = int.__new__(kind, self.at(place))
        return found

    def _filled(self, number: int, *indices: int) -> Any:
        kind = self._classes[number]
        fields = attrs.fields(kind)
        if len(fields) != len(indices):
            raise RecordError(f"{_name(kind)} has other fields")
        value: Any = object.__new__(kind)
        for field, part in zip(fields, self.at_all(indices), strict=True):
            object.__setattr__(value, field.name, part)
        with suppress(AttributeError):
            # What a class that remembers its hash begins with; others have no room.
            object.__setattr__(value, HASH, None)
        return value


def _is_plain(kind: type) -> bool:
    """Tell whether a class is one of values, so that nothing happens if it is used."""
    return kind in PLAIN or attrs.has(kind) or issubclass(kind, Enum | int)


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _loaded(name: str) -> type:
    """The class of a name, if this process has loaded its module.

    Raises:
        RecordError: if there is none.
    """
    found = _find(name)
    if not isinstance(found, type):
        raise RecordError(f"there is no class {name}: it is of another model")
    return found


def _find(name: str) -> Any:
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        # Not `getattr`, which may call something.
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    return found
