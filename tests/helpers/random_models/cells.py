"""What the states of random systems are made of, and what can be asked of it.

A `Question` names an attribute or a method with its arguments; the tables at the end
list, for each class of values, the questions, the operations and the constants.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NewType, Self

from attrs import evolve, field, frozen

from replicheck.model.state_base import Cells

Place = NewType("Place", int)
"""An index into the families that have one cell for each place."""
Amount = NewType("Amount", int)

NUMBERS = (0, 1, 2)
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "in": operator.contains,
    "[]": operator.getitem,
    "len": len,
    "bool": bool,
}
"""Questions that Python has other words for than a method."""
ROOM = 3
"""Items that a queue has room for."""


@frozen
class Box:
    """A number below three and a flag."""

    number: int = 0
    flag: bool = False

    @property
    def label(self) -> str | None:
        """A text, or None for the greatest number."""
        return "abc"[self.number] if self.number < 2 else None

    @property
    def is_proper(self) -> bool:
        """Tell what `==` does not see: the classes of number and flag."""
        return type(self.number) is int and type(self.flag) is bool

    def is_above(self, number: int) -> bool:
        """Tell whether the number is greater: a closed question."""
        return self.number > number

    def plus(self, number: int) -> int:
        """A sum: an open question."""
        return self.number + number

    def sign(self) -> bool | None:
        """Answer true or false, and for the greatest number neither."""
        return None if self.number == 2 else self.number == 1

    def inverse(self) -> int:
        """A quotient; raises at 0."""
        return 6 // self.number

    def is_odd(self) -> bool:
        """Tell whether the number is odd; raises at the greatest one."""
        return (False, True)[self.number]

    def mark(self) -> int:
        """The flag, as a number where the number is 0: equal answers of two classes."""
        return self.flag if self.number else int(self.flag)

    def add(self, number: int) -> Self:
        """Add a number and go round."""
        return evolve(self, number=(self.number + number) % 3)

    def flip(self) -> Self:
        """Turn the flag."""
        return evolve(self, flag=not self.flag)

    def put(self, number: int) -> Self:
        """Set the number; the box itself where it is the same."""
        return self if number == self.number else evolve(self, number=number)

    def grow(self) -> Self:
        """Add one; raises at the greatest number."""
        return evolve(self, number=NUMBERS[self.number + 1])


@frozen
class Queue:
    """A few items; one that finds the queue full is lost."""

    items: tuple[int, ...] = ()

    @property
    def head(self) -> int | None:
        """The oldest item, if there is one."""
        return self.items[0] if self.items else None

    @property
    def first(self) -> int:
        """The oldest item; raises if there is none."""
        return self.items[0]

    @property
    def is_full(self) -> bool:
        """Tell whether another item would be lost."""
        return len(self.items) == ROOM

    @property
    def is_proper(self) -> bool:
        """Tell what `==` does not see: the classes of the items."""
        return all(type(item) is int for item in self.items)

    def has(self, item: int) -> bool:
        """Tell whether the item waits."""
        return item in self.items

    def keeps_order_in(self, later: Queue) -> bool:
        """Tell whether at most one item left at the head, and others came behind."""
        old, new = self.items, later.items
        rest = max(0, len(old) - 1)
        return not new or new[: len(old)] == old or new[:rest] == old[1:]

    def append(self, item: int) -> Self:
        """Add an item at the end."""
        return self if self.is_full else evolve(self, items=(*self.items, item))

    def pop(self) -> Self:
        """Take the oldest item away."""
        return evolve(self, items=self.items[1:])

    def pop_first(self) -> Self:
        """Take the oldest item away; raises if there is none."""
        rest = list(self.items)
        rest.pop(0)
        return evolve(self, items=tuple(rest))

    def clear(self) -> Self:
        """Take all items away."""
        return evolve(self, items=())

    def __contains__(self, item: int) -> bool:
        return item in self.items

    def __getitem__(self, index: int) -> int:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[int]:
        return iter(self.items)


@frozen
class Mixed(Cells):
    """Plain cells, boxes and queues, alone, in a family and in nested families."""

    constant: int = field(eq=False)
    number: int
    choice: str | None
    box: Box
    boxes: tuple[Box, ...]
    queues: tuple[tuple[Queue, ...], ...]
    numbers: tuple[int, ...]


@frozen
class Cell:
    """A cell of a `Mixed` state; an index of None stands for the place at hand."""

    name: str
    index: tuple[int | None, ...] = ()

    def path(self, place: int) -> tuple[int, ...]:
        """The index with the place at hand filled in."""
        return tuple(place if index is None else index for index in self.index)

    def of(self, state: Any, place: int) -> Any:
        """The value of the state's cell there."""
        value = getattr(state, self.name)
        for index in self.path(place):
            value = value[index]
        return value


@frozen
class Question:
    """An attribute, or a method with arguments; no name: the value as a whole."""

    name: str = ""
    arguments: tuple[int, ...] = ()
    is_method: bool = False

    def ask(self, value: Any) -> Any:
        """The answer."""
        if not self.name:
            return value
        if self.name in OPERATORS:
            return OPERATORS[self.name](value, *self.arguments)
        member = getattr(value, self.name)
        return member(*self.arguments) if self.is_method else member


def attribute(name: str) -> Question:
    """The question for an attribute."""
    return Question(name)


def method(name: str, *arguments: int) -> Question:
    """A call."""
    return Question(name, arguments, is_method=True)


# Each question with answers that it may get.
BOX_QUESTIONS: tuple[tuple[Question, tuple[Any, ...]], ...] = (
    (attribute("number"), NUMBERS),
    (attribute("flag"), (False, True)),
    (attribute("label"), (None, "a")),
    (method("is_above", 0), (False, True)),
    (method("is_above", 1), (False, True)),
    (method("plus", 2), (2, 3)),
    (method("sign"), (None, False, True)),
    (Question(), (Box(), Box(1), Box(2, True))),
)
QUEUE_QUESTIONS: tuple[tuple[Question, tuple[Any, ...]], ...] = (
    (attribute("head"), (None, 0, 1)),
    (attribute("is_full"), (False, True)),
    (method("has", 0), (False, True)),
    (method("has", 1), (False, True)),
    (method("__len__"), (0, 1, 2)),
    (method("len"), (0, 1, 2)),
    (method("in", 1), (False, True)),
    (method("bool"), (False, True)),
    (Question(), (Queue(), Queue((0,)), Queue((1, 0)))),
)
PLAIN_QUESTIONS = ((Question(), NUMBERS),)
CHOICE_QUESTIONS = ((Question(), (None, "a", "b")),)
RAISING_BOX_QUESTIONS: tuple[tuple[Question, tuple[Any, ...]], ...] = (
    (method("inverse"), (3, 6)),
    (method("is_odd"), (False, True)),
)
RAISING_QUEUE_QUESTIONS = ((attribute("first"), (0, 1)), (method("[]", 0), (0, 1)))

BOX_OPERATIONS = (
    method("add", 1),
    method("add", 2),
    method("flip"),
    method("put", 0),
    method("put", 2),
)
QUEUE_OPERATIONS = (
    method("append", 0),
    method("append", 1),
    method("pop"),
    method("clear"),
)
RAISING_BOX_OPERATIONS = (method("grow"),)
RAISING_QUEUE_OPERATIONS = (method("pop_first"),)

CONSTANTS: dict[str, tuple[Any, ...]] = {
    "number": NUMBERS,
    "numbers": NUMBERS,
    "choice": (None, "a", "b"),
    "box": (Box(), Box(1), Box(2, True)),
    "boxes": (Box(), Box(1, True), Box(2)),
    "queues": (Queue(), Queue((1,)), Queue((0, 1))),
}
