"""Proxies of states of which a loop sees a part of a set: some of its elements."""

from __future__ import annotations

from collections.abc import Collection
from types import FrameType
from typing import Any, cast

from attrs import frozen

from replicheck.explorer.proxies.calls import Call, evaluate_call
from replicheck.explorer.proxies.loops.parted_loops import PartedLoop
from replicheck.explorer.proxies.split.split_set import (
    ElementReader,
    SplitSet,
    is_hashable,
    of_class,
)
from replicheck.explorer.proxies.split.split_state import SplitStateProxy
from replicheck.explorer.states.set_elements import Elements


@frozen
class ElementPart:
    """One of some parts of a set: each so many places of elements belong to it."""

    loop: PartedLoop
    number: int
    count: int


class PartedSet(SplitSet):
    """A split set of which one loop sees a part; nothing else does."""

    __slots__ = ("part_",)

    def __init__(
        self, reader: ElementReader, elements: Elements, part: ElementPart
    ) -> None:
        super().__init__(reader, elements, {})
        self.part_ = part

    @property
    def places_(self) -> range:
        """The places of elements that belong to the part."""
        return range(self.part_.number, self.elements_.room.columns, self.part_.count)

    def items_for_(self, frame: FrameType) -> Collection[Any] | None:
        part = self.part_
        if not part.loop.begins_in(frame):
            return super().items_for_(frame)
        if part.loop.is_parted_in(frame):
            return [self.elements_.known[p] for p in self.places_ if self.is_read_(p)]
        return frozenset() if part.number else super().items_for_(frame)

    def asked_in_(self, call: Call, frame: FrameType) -> Any:
        part = self.part_
        if not part.loop.begins_in(frame):
            return super().asked_in_(call, frame)
        if part.loop.is_parted_in(frame) and is_hashable(call):
            return self.given_by_part_(call)
        return frozenset() if part.number else super().asked_in_(call, frame)

    def given_by_part_(self, call: Call) -> frozenset[Any]:
        """What a question by items gives of the elements of the part.

        Of what several elements give, it is in the part of the first that is there.
        """
        choices = dict(self.elements_.chosen(call, evaluate_call))
        found = frozenset[Any]()
        for place in filter(self.is_read_, self.places_):
            choice = choices.get(place, frozenset())
            if isinstance(choice, Exception):
                raise choice
            for before, other in choices.items():
                if before >= place or isinstance(other, Exception):
                    continue
                if not choice.isdisjoint(other) and self.is_read_(before):
                    choice -= other
            found |= choice
        return found


def with_part(proxy: SplitStateProxy, part: ElementPart) -> SplitStateProxy:
    """A proxy of the same state of which a loop sees a part of a set."""
    made = type(proxy)(proxy.reader_)
    reader, cells = cast(ElementReader, proxy.reader_), cast(list[Any], made.cells_)
    for column, elements in proxy.layout_.sets.items():
        cells[column] = of_class(PartedSet(reader, elements, part))
    return made
