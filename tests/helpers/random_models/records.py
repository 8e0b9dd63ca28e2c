"""Records within records, with sets and tuples in them, as values of cells."""

from __future__ import annotations

from typing import NewType, Self

from attrs import frozen

from replicheck.model.state_base import Cells
from replicheck.modelling import Value

Item = NewType("Item", int)
ITEMS = tuple(map(Item, range(3)))
LONGEST = 2


class InnerRecord(Value):
    """A record within a record."""

    chosen: frozenset[Item] = frozenset()
    log: tuple[Item, ...] = ()

    def append(self, item: Item) -> Self:
        """Have one more item in the log."""
        return self.evolve(log=(*self.log, item))

    def choose_all(self, items: tuple[Item, ...]) -> Self:
        """Choose some more."""
        return self.evolve(chosen=self.chosen | set(items))


class OuterRecord(Value):
    """A record with a set, a tuple, a number, and another record."""

    votes: frozenset[Item] = frozenset()
    log: tuple[Item, ...] = ()
    term: int = 0
    box: InnerRecord = InnerRecord()

    def clear(self) -> Self:
        """Forget the log."""
        return self.evolve(log=())


EMPTY = OuterRecord()


@frozen
class RecordState(Cells):
    """A record of its own, a family of two, and how many steps are left."""

    one: OuterRecord = EMPTY
    family: tuple[OuterRecord, OuterRecord] = (EMPTY, EMPTY)
    steps_left: int = 5


def longer(log: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    """A log with one more item, by `+`."""
    return log + (item,)  # noqa: RUF005 - the other way of writing it
