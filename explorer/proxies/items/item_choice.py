"""The choice of items: which of them a part of an action does something with."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from types import FrameType, FunctionType
from typing import Any, cast

from attrs import define, field, frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import MOST_STEPS, Instance
from replicheck.explorer.proxies.calls import NoMoreSteps
from replicheck.explorer.proxies.items.item_loops import (
    DEEPEST,
    ItemLoop,
    written_anew,
)
from replicheck.explorer.proxies.loops.lasting_values import is_plain
from replicheck.explorer.proxies.loops.source_tree import with_choice
from replicheck.explorer.proxies.state_proxy import FamilyProxy, StateProxy
from replicheck.explorer.states.fingerprint import Hasher

NUMBERED = 64
"""Of items that are lower numbers each can have a part of its own."""


@frozen
class ItemPart:
    """A part of an action: what it does with some of the items of its loops.

    ``sizes`` are the parts by the items of outer loops, and how many there are of each
    by those of the loops in them.
    """

    loops: tuple[ItemLoop, ...]
    sizes: tuple[int, int]
    number: int

    @property
    def count(self) -> int:
        """The number of parts."""
        outer, inner = self.sizes
        return outer * inner

    @property
    def digits(self) -> tuple[int, int]:
        """The number of the part by items of outer loops, and by those in them."""
        return divmod(self.number, self.sizes[1])

    def seen(self, proxy: StateProxy) -> StateProxy:
        """The proxy of a state that the part sees: all of it."""
        return proxy

    def steps(self, instance: Instance, state: Any) -> Iterator[Any]:
        """Yield the steps of an action that are the part's."""
        for line, step in self.choice.run(instance, state):
            if self.has_line(line):
                yield step

    @property
    def choice(self) -> ItemChoice:
        """What gives the part its items in one run."""
        return ItemChoice(self)

    def has_line(self, line: int) -> bool:
        """Tell whether the part has the steps that come from a line.

        In a loop it has those of its items; elsewhere the first part has all.
        """
        depth = sum(line in loop.lines for loop in self.loops)
        return not any(self.digits[depth:])


@define(eq=False)
class ItemChoice:
    """What gives a part its items, in one run."""

    part: ItemPart
    lengths: list[int] = field(factory=lambda: [1, 1])
    """How many parts the items of outer loops would fill, and of those in them."""
    _sees_all_from: int = DEEPEST
    """The depth of loops that see all items from here on."""
    _hasher: Hasher = field(factory=Hasher)

    def run(self, instance: Instance, state: Any) -> Iterator[tuple[int, Any]]:
        """Yield the steps of an action for items that are chosen, with their lines."""
        plain = cast(FunctionType, instance.function)
        code = written_anew(plain.__code__, self.part.loops)
        run = with_choice(plain, code, self)(state, *instance.values)
        for step in run:
            yield run.gi_frame.f_lineno, step

    def __call__(self, number: int, *expression: Any) -> Iterable[Any]:
        """The items of a loop that are the part's.

        Args:
            number: of the loop.
            expression: what it goes over; or a function that gives it, with arguments.

        Raises:
            NoMoreSteps: if another part does what this one would do from here on.
        """
        loop, frame = self.part.loops[number], sys._getframe(1)
        if not self.sees_all(loop, frame):
            if loop.is_parted_in(frame):
                found = self._of_cells(loop, expression)
                return self._of(loop, expression) if found is None else found
            self._see_all(loop)
        return _evaluated(expression)

    def sees_all(self, loop: ItemLoop, frame: FrameType) -> bool:
        """Tell whether a loop that begins in a frame sees all items."""
        return self._sees_all_from <= loop.depth

    def _see_all(self, loop: ItemLoop) -> None:
        """Have the first part of those that are here see all items from here on.

        Raises:
            NoMoreSteps: if it is another one.
        """
        if any(self.part.digits[loop.depth :]):
            raise NoMoreSteps
        self._sees_all_from = loop.depth

    def has_some(self, loop: ItemLoop) -> bool:
        """Tell whether the part has items of a loop: of some only the first part has.

        These are in no other one, and no other one is in them.
        """
        return not (loop.is_innermost and any(self.part.digits[loop.depth + 1 :]))

    def _of_cells(
        self, loop: ItemLoop, expression: tuple[Any, ...]
    ) -> Iterable[Any] | None:
        """Some of what an expression gives that goes over families of cells.

        No cell of another item is read. None if it goes over something else.
        """
        if type(expression[0]) is FamilyProxy:
            (family,) = expression
            return self._in_turn(loop, len(family), family.__getitem__)
        if expression[0] is enumerate and type(expression[1]) is FamilyProxy:
            _, family, *start = expression
            first = operator.index(*start) if start else 0
            return self._in_turn(loop, len(family), lambda n: (first + n, family[n]))
        if expression[0] is zip and all(map(_is_in_order, expression[1:])):
            _, *families = expression
            length = min(map(len, families), default=0)
            return self._in_turn(
                loop, length, lambda n: tuple(family[n] for family in families)
            )
        return None

    def _in_turn(
        self, loop: ItemLoop, length: int, item: Callable[[int], Any]
    ) -> list[Any]:
        """Items by their numbers, of which each part has one in so many."""
        depth = loop.depth
        self.lengths[depth] = max(self.lengths[depth], length)
        if not self.has_some(loop):
            return []
        first, step = self.part.digits[depth], self.part.sizes[depth]
        return [item(number) for number in range(first, length, step)]

    def _of(self, loop: ItemLoop, expression: tuple[Any, ...]) -> Iterable[Any]:
        """Some of what an expression gives: which of it only depends on the item."""
        items = iter(_evaluated(expression))
        found = [*islice(items, MOST_STEPS)]
        keys = self._keys(found) if len(found) < MOST_STEPS else None
        if keys is None:
            self._see_all(loop)
            return chain(found, items)
        depth = loop.depth
        most = max(keys, default=0) + 1
        length = most if most <= NUMBERED else len(found)
        self.lengths[depth] = max(self.lengths[depth], length)
        if not self.has_some(loop):
            return []
        digit, size = self.part.digits[depth], self.part.sizes[depth]
        return [
            item for item, key in zip(found, keys, strict=True) if key % size == digit
        ]

    def _keys(self, items: Sequence[Any]) -> list[int] | None:
        """A number for each item, the same for equal ones; None if one may change."""
        if not is_plain(tuple(items)):
            return None
        try:
            return [
                item if isinstance(item, int) else self._hasher.value(item)
                for item in items
            ]
        except ModelError:
            return None


def _is_in_order(iterated: object) -> bool:
    """Tell whether something has items by number, which nothing can change."""
    kind = type(iterated)
    return kind in (FamilyProxy, range) or (kind is tuple and is_plain(iterated))


def _evaluated(expression: tuple[Any, ...]) -> Iterable[Any]:
    """What an expression gives; see `ItemChoice`."""
    first, *arguments = expression
    found: Iterable[Any] = first(*arguments) if arguments else first
    return found
