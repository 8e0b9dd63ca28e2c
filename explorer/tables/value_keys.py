"""Keys of values: a value as the numbers of what is in its fields.

Two queues mostly have the same elements, in another order or number. So elements are
hashed and compared once, and a queue is found by their numbers. Its stable hash is that
of the queue without the last element, and of that element.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

from replicheck.explorer.states.exact_equality import (
    are_exactly_equal,
    fields_compared,
)
from replicheck.explorer.states.fingerprint import Hasher

Key = tuple[int | tuple[int, ...], ...]
"""For each field the number of its value, or those of a tuple's elements."""


MOST_ALIASES = 1 << 12
"""So many objects are remembered that are the same as a known part."""


class Unlike(Exception):
    """A part of a value equals another one without being the same, or has no hash."""


class PartNumbers:
    """Numbers of what is in values, in the order of discovery; ``hashes`` by number."""

    def __init__(self, hasher: Hasher) -> None:
        self.hashes: list[int] = []
        self._hasher = hasher
        self._parts: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._by_id: dict[int, int] = {}
        """The numbers of parts by their objects, which are kept so that they live."""
        self._aliases: list[Any] = []
        self._by_hash: dict[int, int] = {}

    def number(self, part: Any) -> int:
        """The number of a part, a new one if it is new.

        Raises:
            Unlike: if it equals a known one without being the same, or has no hash.
            ModelError: if it has no canonical form.
        """
        number = self._by_id.get(id(part))
        if number is not None:
            return number
        try:
            number = self._numbers.get(part)
        except TypeError as error:
            raise Unlike from error
        if number is None:
            self.hashes.append(self._hasher.value(part))
            number = self._numbers[part] = len(self._parts)
            self._by_id[id(part)] = number
            self._parts.append(part)
        elif not are_exactly_equal(self._parts[number], part):
            raise Unlike
        elif len(self._aliases) < MOST_ALIASES:
            self._by_id[id(part)] = number
            self._aliases.append(part)
        return number

    def part(self, number: int) -> Any:
        """The part that has a number."""
        return self._parts[number]

    def unmistakable(self, part: Any) -> int:
        """The number of a part, if no other has its hash; else raises as `number`."""
        known = len(self._parts)
        number = self.number(part)
        if number < known:
            return number
        if self._by_hash.setdefault(self.hashes[number], number) != number:
            raise Unlike
        return number

    def numbers(self, parts: tuple[Any, ...]) -> tuple[int, ...]:
        """The numbers of several parts; raises as `number` does."""
        by_id, number = self._by_id, self.number
        try:
            return tuple([by_id[id(part)] for part in parts])
        except KeyError:
            return tuple([number(part) for part in parts])


class ValueKeys:
    """The keys of the values of one class, of which one field holds a sequence."""

    def __init__(
        self, kind: type, names: tuple[str, ...], sequence: int, hasher: Hasher
    ) -> None:
        self.sequence = names[sequence]
        """The field that holds the sequence."""
        self._kind, self._at, self._hasher = kind, sequence, hasher
        self._is_single = len(names) == 1
        self._fields = attrgetter(*names)
        self._parts = PartNumbers(hasher)
        self._tuples: dict[tuple[int, ...], int] = {(): hasher.start_of("tuple")}
        self._heads: dict[Key, int] = {}

    @classmethod
    def of(cls, value: Any, hasher: Hasher) -> Self | None:
        """The keys of values like this one; None if it holds no tuple."""
        names = fields_compared(type(value))
        for place, name in enumerate(names):
            if type(getattr(value, name)) is tuple:
                return cls(type(value), names, place, hasher)
        return None

    def key(self, value: Any) -> Key:
        """The key of a value: values have one key exactly if they are the same.

        Raises:
            Unlike: if that cannot be said of the value.
            ModelError: if something in it has no canonical form.
        """
        if type(value) is not self._kind:
            raise Unlike
        fields = self._fields(value)
        parts = self._parts
        return tuple(
            [
                parts.numbers(part) if type(part) is tuple else parts.number(part)
                for part in ((fields,) if self._is_single else fields)
            ]
        )

    def hash(self, key: Key) -> int:
        """The stable hash of the value that has a key: that of `Hasher`."""
        total = self._hasher.start_of(self._kind.__qualname__)
        for length, part in enumerate(key, start=1):
            of_part = (
                self._tuple(part) if type(part) is tuple else self._parts.hashes[part]  # type: ignore[index]
            )
            total = self._hasher.longer(total, of_part, length)
        return total

    def head(self, key: Key) -> int:
        """The number of a value's head: all but what follows the first element."""
        sequence = key[self._at]
        first = sequence[:1] if type(sequence) is tuple else sequence
        short = (*key[: self._at], first, *key[self._at + 1 :])
        return self._heads.setdefault(short, len(self._heads))

    def _tuple(self, numbers: tuple[int, ...]) -> int:
        known = self._tuples.get(numbers)
        if known is not None:
            return known
        done = len(numbers) - 1
        while numbers[:done] not in self._tuples:
            done -= 1
        total = self._tuples[numbers[:done]]
        for length in range(done + 1, len(numbers) + 1):
            of_part = self._parts.hashes[numbers[length - 1]]
            total = self._hasher.longer(total, of_part, length)
        self._tuples[numbers] = total
        return total
