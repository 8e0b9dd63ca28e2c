"""Fingerprints: 64-bit digests of states, the same in every process and engine.

A value's hash depends on its canonical form alone, never on `hash()`. A state's
fingerprint is the exclusive or of one word for each cell, mixed from the cell's
position and its value's hash; so a step that writes two cells changes two words. A
cell with a set adds a word for each item, so that it makes no difference to a
fingerprint whether an engine knows the set as one value or item by item.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import attrs

from replicheck.explorer.errors import ModelError
from replicheck.explorer.runtime.digest import digest_bytes
from replicheck.explorer.states.exact_equality import are_exactly_equal
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.value_parts import parts_of

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST_MULTIPLIER = 0xBF58476D1CE4E5B9
SECOND_MULTIPLIER = 0x94D049BB133111EB


_NOTHING: tuple[Any, int] = (object(), 0)


def mix(word: int) -> int:
    """The word with its bits spread: the finaliser of splitmix64."""
    word = ((word ^ (word >> 30)) * FIRST_MULTIPLIER) & MASK
    word = ((word ^ (word >> 27)) * SECOND_MULTIPLIER) & MASK
    return word ^ (word >> 31)


class NoCanonicalForm(ModelError):
    """The error that a cell, if it is known which, holds a value that has no hash."""

    def __init__(self, value: object, cell: str | None = None) -> None:
        place = "a cell" if cell is None else f"the cell `{cell}`"
        super().__init__(
            f"{place} holds {value!r} of type {type(value).__name__}, which has no"
            " canonical form: use frozen attrs values, tuples, frozensets, enums,"
            " numbers, texts and None"
        )
        self.value = value


class Hasher:
    """Hashes values with one seed; remembers what it has hashed."""

    def __init__(self, seed: int = 0) -> None:
        self._salt = seed.to_bytes(8, "little")
        self._known: dict[Any, tuple[Any, int]] = {}
        self._names: dict[str, int] = {}
        self._fields: dict[type, tuple[str, ...] | None] = {}

    def value(self, value: Any) -> int:
        """The stable 64-bit hash of a cell's value.

        Raises:
            ModelError: if the value holds something without a canonical form.
        """
        try:
            known, known_hash = self._known.get(value, _NOTHING)
        except TypeError as error:
            raise ModelError(
                f"a cell holds {value!r} of type {type(value).__name__}, which cannot"
                f" be hashed ({error}): use frozen attrs values, tuples and frozensets"
            ) from error
        if known is value or (known_hash and are_exactly_equal(known, value)):
            return known_hash
        value_hash = self.new_value(value)
        self._known[value] = value, value_hash
        return value_hash

    def new_value(self, value: Any) -> int:
        """The stable hash of a value, which is not remembered.

        Raises:
            NoCanonicalForm: if the value has none.
        """
        if value is None or isinstance(value, bool | int | str | bytes):
            return self._text(f"{type(value).__name__}:{value!r}")
        if isinstance(value, Enum):
            return self._text(f"{type(value).__name__}.{value.name}")
        if isinstance(value, tuple):
            return self._tuple(value)
        if isinstance(value, frozenset):
            total = sum(mix(self.value(element)) for element in value)
            return mix((total + self.start_of("frozenset")) & MASK)
        names = self.fields_of(type(value))
        if names is not None:
            fields = [getattr(value, name) for name in names]
            return self._sequence(fields, self.start_of(type(value).__qualname__))
        raise NoCanonicalForm(value)

    def _tuple(self, values: tuple[Any, ...]) -> int:
        """The hash of a tuple: from that of all but its last, if that is known.

        So an append to a long queue costs no more than one to a short queue.
        """
        if values and type(values) is tuple:
            known, known_hash = self._known.get(values[:-1], _NOTHING)
            if known_hash and are_exactly_equal(known, values[:-1]):
                return self._longer(known_hash, values[-1], len(values))
        return self._sequence(values, self.start_of("tuple"))

    def _sequence(self, values: Sequence[Any], start: int) -> int:
        total = start
        for length, element in enumerate(values, start=1):
            total = self._longer(total, element, length)
        return total

    def _longer(self, total: int, element: Any, length: int) -> int:
        """The hash of a sequence that has got so long by one more element."""
        return self.longer(total, self.value(element), length)

    @staticmethod
    def longer(total: int, of_element: int, length: int) -> int:
        """The hash of a sequence that has got so long, by that of its last element."""
        return mix(((total ^ of_element) + GOLDEN * length) & MASK)

    def fields_of(self, kind: type) -> tuple[str, ...] | None:
        """The fields that tell values of a class apart; None if it has none."""
        if kind not in self._fields:
            self._fields[kind] = (
                tuple(field.name for field in attrs.fields(kind) if field.eq)
                if attrs.has(kind)
                else None
            )
        return self._fields[kind]

    def start_of(self, name: str) -> int:
        """The hash of the name of a class, from which that of a sequence begins."""
        if name not in self._names:
            self._names[name] = self._text(name)
        return self._names[name]

    def _text(self, text: str) -> int:
        return int.from_bytes(digest_bytes(text.encode(), 8, self._salt), "little")


class Rehasher(Hasher):
    """Hashes values as if it had never seen them, but for those that cannot change."""

    def value(self, value: Any) -> int:
        """The stable hash of a value as it is now."""
        if value is None or isinstance(value, bool | int | str | bytes | Enum):
            return super().value(value)
        return self.new_value(value)

    def _tuple(self, values: tuple[Any, ...]) -> int:
        return self._sequence(values, self.start_of("tuple"))


def cell_word(column: int, value_hash: int) -> int:
    """Zobrist word: what a cell's value at a position adds to a fingerprint."""
    return mix((value_hash + GOLDEN * (column + 1)) & MASK)


class Fingerprinter:
    """Computes fingerprints of whole states of one layout."""

    def __init__(self, layout: Layout, seed: int = 0) -> None:
        self._layout = layout
        self._places = layout.places
        self._hasher = Hasher(seed)

    def of(self, state: Any) -> int:
        """The fingerprint of a state; never 0, which tables use for empty.

        Raises:
            NoCanonicalForm: if a cell holds a value that has none.
        """
        total = 0
        values = self._layout.values(state)
        for place, cell, value in zip(
            self._places, self._layout.cells, values, strict=True
        ):
            try:
                for part in parts_of(value):
                    total ^= cell_word(place, self._hasher.value(part))
            except NoCanonicalForm as error:
                raise NoCanonicalForm(error.value, cell.field) from error
        return total or 1
