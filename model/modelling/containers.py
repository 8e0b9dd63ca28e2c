"""Values of several parts: a bag, a queue, a set, a map, an optional.

Their methods are what an engine learns fast: a question for each value once, and what
an operation makes of each value once. To read all of one is slow where it has many
values: ask it about one message instead, which is then a parameter of the action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Generic, NoReturn, Self, TypeVar

from replicheck.model.modelling.values import Value

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Set(Value, Generic[T]):
    """A set, such as the messages that were ever sent."""

    MEMBERS: ClassVar[str] = "items"
    BY_ITEM: ClassVar[frozenset[str]] = frozenset({"where"})
    COMMUTING: ClassVar[frozenset[str]] = frozenset({"add"})

    items: frozenset[T] = frozenset()

    def __contains__(self, item: T) -> bool:
        return item in self.items

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def has(self, item: T) -> bool:
        """Tell whether an item is in it."""
        return item in self.items

    def has_items(self) -> bool:
        """Tell whether anything is in it."""
        return len(self.items) > 0

    def has_room(self, size: int) -> bool:
        """Tell whether it has fewer items than that."""
        return len(self.items) < size

    def where(self, kind: type = object, /, **fields: object) -> frozenset[T]:
        """The items of a class, of any if none is given, whose fields are these.

        Raises:
            AttributeError: if an item of the class does not have one of them.
        """
        return frozenset(item for item in self.items if _fits(item, kind, fields))

    def size(self) -> int:
        """The number of its items."""
        return len(self.items)

    def add(self, item: T) -> Self:
        """Put an item in."""
        return type(self)(self.items | {item})

    def remove(self, item: T) -> Self:
        """Take an item out, if it is there."""
        return type(self)(self.items - {item})

    def clear(self) -> Self:
        """Take everything out."""
        return type(self)()


class Bag(Value, Generic[T]):
    """A multiset, such as the messages on their way in any order.

    An item that is in it n times has n copies: the pairs `(item, 1)` to `(item, n)`.
    """

    MEMBERS: ClassVar[str] = "copies"
    BY_ITEM: ClassVar[frozenset[str]] = frozenset({"where"})
    COMMUTING: ClassVar[frozenset[str]] = frozenset({"add"})

    copies: frozenset[tuple[T, int]] = frozenset()

    def __contains__(self, item: T) -> bool:
        return self.has(item)

    def __len__(self) -> int:
        return self.size()

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "a Bag has items more than once: loop over `where()`, which has each once"
        )

    def has(self, item: T) -> bool:
        """Tell whether an item is in it at least once."""
        return (item, 1) in self.copies

    def count(self, item: T) -> int:
        """The number of times that an item is in it."""
        copies = 0
        while (item, copies + 1) in self.copies:
            copies += 1
        return copies

    def has_items(self) -> bool:
        """Tell whether anything is in it."""
        return len(self.copies) > 0

    def has_room(self, size: int) -> bool:
        """Tell whether it has fewer items than that."""
        return self.size() < size

    def where(self, kind: type = object, /, **fields: object) -> frozenset[T]:
        """The items of a class, of any if none is given, whose fields are these.

        Raises:
            AttributeError: if an item of the class does not have one of them.
        """
        return frozenset(
            item
            for item, number in self.copies
            if number == 1 and _fits(item, kind, fields)
        )

    def size(self) -> int:
        """The number of its items, equal ones counted."""
        return len(self.copies)

    def add(self, item: T) -> Self:
        """Put an item in once more."""
        return type(self)(self.copies | {(item, self.count(item) + 1)})

    def remove(self, item: T) -> Self:
        """Take an item out once, if it is there."""
        return type(self)(self.copies - {(item, self.count(item))})


class Queue(Value, Generic[T]):
    """A queue, such as the messages on their way in order.

    It promises engines what is done at its ends: `append` and `pop` are learned once,
    not for each value. A class derived from it that has one of the named methods anew
    promises nothing, unless it names its own.
    """

    SEQUENCE: ClassVar[str] = "items"
    AT_END: ClassVar[frozenset[str]] = frozenset({"append"})
    AT_HEAD: ClassVar[frozenset[str]] = frozenset(
        {"__bool__", "first", "has_items", "is_empty", "pop"}
    )

    items: tuple[T, ...] = ()

    def __bool__(self) -> bool:
        return len(self.items) > 0

    def __contains__(self, item: T) -> bool:
        return item in self.items

    def __getitem__(self, index: int) -> T:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def is_empty(self) -> bool:
        """Tell whether nothing is in it."""
        return not self.items

    def has_items(self) -> bool:
        """Tell whether anything is in it."""
        return len(self.items) > 0

    def has_room(self, size: int) -> bool:
        """Tell whether it has fewer items than that."""
        return len(self.items) < size

    def size(self) -> int:
        """The number of its items."""
        return len(self.items)

    def first(self) -> T:
        """The oldest item.

        Raises:
            IndexError: if there is none.
        """
        return self.items[0]

    def append(self, item: T) -> Self:
        """Put an item behind all others."""
        return Value.evolve(self, items=(*self.items, item))

    def pop(self) -> Self:
        """Take the oldest item out."""
        return Value.evolve(self, items=self.items[1:])


class Map(Value, Generic[K, V]):
    """A map, such as the votes of those who have voted.

    It has the questions of a dictionary, and `|`, which makes another map.
    """

    entries: frozenset[tuple[K, V]] = frozenset()

    def __contains__(self, key: K) -> bool:
        return self.has(key)

    def __getitem__(self, key: K) -> V:
        return dict(self.entries)[key]

    def __iter__(self) -> Iterator[K]:
        return iter(frozenset(key for key, _ in self.entries))

    def __len__(self) -> int:
        return len(self.entries)

    def __or__(self, other: Self | Mapping[K, V]) -> Self:
        if not isinstance(other, Map | Mapping):
            return NotImplemented
        merged = dict(self.entries) | dict(other.items())
        return Value.evolve(self, entries=frozenset(merged.items()))

    def has(self, key: K) -> bool:
        """Tell whether a key has a value."""
        return key in dict(self.entries)

    def has_items(self) -> bool:
        """Tell whether any key has a value."""
        return len(self.entries) > 0

    def size(self) -> int:
        """The number of its keys."""
        return len(self.entries)

    def get(self, key: K, default: V | None = None) -> V | None:
        """The value of a key, or another where it has none."""
        return dict(self.entries).get(key, default)

    def keys(self) -> frozenset[K]:
        """The keys that have a value."""
        return frozenset(self)

    def values(self) -> tuple[V, ...]:
        """The value of each key; equal maps give them in the same order."""
        return tuple(sorted((value for _, value in self.entries), key=repr))

    def items(self) -> frozenset[tuple[K, V]]:
        """The pairs of a key and its value."""
        return self.entries

    def put(self, key: K, value: V) -> Self:
        """Give a key a value, in place of any other."""
        return type(self)(frozenset({*self._without(key), (key, value)}))

    def remove(self, key: K) -> Self:
        """Take a key out, if it is there."""
        return type(self)(frozenset(self._without(key)))

    def _without(self, key: K) -> Iterator[tuple[K, V]]:
        return ((known, value) for known, value in self.entries if known != key)


class Optional(Value, Generic[T]):
    """A value that may be missing."""

    content: T | None = None

    def __bool__(self) -> bool:
        return self.is_there()

    def is_there(self) -> bool:
        """Tell whether there is a value."""
        return self.content is not None

    def equals(self, value: T) -> bool:
        """Tell whether this is the value."""
        return self.content == value

    def set(self, value: T) -> Self:
        """Have a value, in place of any other."""
        return type(self)(value)

    def clear(self) -> Self:
        """Have no value any more."""
        return type(self)()


def _fits(item: object, kind: type, fields: Mapping[str, object]) -> bool:
    """Tell whether an item is of a class and has fields of these values."""
    return isinstance(item, kind) and fields == {
        name: getattr(item, name) for name in fields
    }
