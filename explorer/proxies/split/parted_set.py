"""Proxies of states of which loops see parts of sets: some of their elements."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import FrameType, GeneratorType
from typing import Any, cast

from attrs import define, field, frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.proxies.calls import Call, NoMoreSteps, evaluate_call
from replicheck.explorer.proxies.loops.parted_loops import PartedLoop
from replicheck.explorer.proxies.loops.source_tree import as_written
from replicheck.explorer.proxies.split.split_set import (
    ElementReader,
    SplitSet,
    is_hashable,
    of_class,
)
from replicheck.explorer.proxies.split.split_state import SplitStateProxy
from replicheck.explorer.proxies.state_proxy import StateProxy
from replicheck.explorer.states.set_elements import Elements


@frozen
class ElementPart:
    """A part of each of some sets: of all places of elements, one in ``count``.

    ``loops`` are those of an action that see parts.
    """

    loops: tuple[PartedLoop, ...]
    number: int
    count: int
    view: PartView = field(init=False, eq=False, repr=False)

    @view.default
    def _view(self) -> PartView:
        return PartView(self)

    @property
    def places(self) -> slice:
        """The places of the elements that the part sees."""
        return slice(self.number, None, self.count)

    def seen(self, proxy: StateProxy) -> StateProxy:
        """The proxy of a state that the part sees: of sets it sees some elements."""
        return with_part(cast(SplitStateProxy, proxy), self)

    def steps(self, instance: Instance, state: Any) -> Iterator[Any]:
        """Yield the steps of an action that are the part's.

        Of the first part are those, too, that come from outside of the loops.
        """
        run: GeneratorType[Any, None, None] = instance(state)
        for step in run:
            frame = run.gi_frame
            if self.number == 0 or (frame and self.has_line(frame.f_lineno)):
                yield step

    def has_line(self, line: int) -> bool:
        """Tell whether a line is in one of the loops."""
        return any(line in loop.lines for loop in self.loops)


@define(eq=False)
class PartView:
    """What a function sees of the sets that its loops go over, in each of its runs."""

    part: ElementPart
    _sees_all: FrameType | None = None
    """The last run in which a loop could not be parted."""

    def is_of_part(self, frame: FrameType, field: str, question: str = "") -> bool:
        """Tell whether a loop begins in a frame that sees a part alone.

        Args:
            field: that of the set which it goes over.
            question: what it asks the set for, if it does.

        Raises:
            NoMoreSteps: if the loop cannot be parted.
        """
        begun = (
            loop
            for loop in self.part.loops
            if (loop.field, loop.question) == (field, question)
            and loop.begins_in(frame)
        )
        loop = next(begun, None)
        if loop is None or _calls_itself(frame):
            return False
        if not self.sees_all_in(frame) and loop.is_parted_in(frame):
            return True
        self.see_all(frame)
        return False

    def sees_all_in(self, frame: FrameType) -> bool:
        """Tell whether a run sees all that it goes over."""
        return frame is self._sees_all

    def see_all(self, frame: FrameType) -> None:
        """Have the first part see all of what it sees in a run from here on.

        Raises:
            NoMoreSteps: if it is another part, of which the run is at its end.
        """
        if self.part.number:
            raise NoMoreSteps
        self._sees_all = frame


class PartedSet(SplitSet):
    """A split set of which some loops see a part; nothing else does."""

    __slots__ = ("view_",)

    def __init__(
        self, reader: ElementReader, elements: Elements, view: PartView
    ) -> None:
        super().__init__(reader, elements, {})
        self.view_ = view

    @property
    def places_(self) -> range:
        """The places of elements that belong to the part."""
        return range(self.elements_.encoding.columns)[self.view_.part.places]

    def items_for_(self, frame: FrameType) -> Collection[Any] | None:
        if not self.view_.is_of_part(frame, self.elements_.cell.field):
            return super().items_for_(frame)
        return [self.elements_.known[p] for p in self.places_ if self.is_read_(p)]

    def asked_in_(self, call: Call, frame: FrameType) -> Any:
        if self.view_.is_of_part(frame, self.elements_.cell.field, call[0]):
            if is_hashable(call):
                return self.given_by_part_(call)
            self.view_.see_all(frame)
        return super().asked_in_(call, frame)

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
    """A proxy of the same state of which loops see parts of sets."""
    made, view = type(proxy)(proxy.reader_), part.view
    reader, cells = cast(ElementReader, proxy.reader_), cast(list[Any], made.cells_)
    for column, elements in proxy.layout_.sets.items():
        cells[column] = of_class(PartedSet(reader, elements, view))
    return made


def _calls_itself(frame: FrameType) -> bool:
    """Tell whether the function that runs in a frame runs in one around it, too."""
    around = frame.f_back
    code = as_written(frame.f_code)
    while around is not None and as_written(around.f_code) != code:
        around = around.f_back
    return around is not None
