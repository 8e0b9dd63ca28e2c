"""Mixed parts: of an action that goes over sets, and over items elsewhere.

A part that does something with elements of the sets would read in vain what the action
reads for each item, and so would one for items with all elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from attrs import define, frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.proxies.items.item_choice import ItemChoice, ItemPart
from replicheck.explorer.proxies.items.item_loops import ItemLoop
from replicheck.explorer.proxies.split.parted_set import ElementPart, PartView

NOTHING = slice(0)


@frozen
class MixedPart(ElementPart):
    """A part that sees some items and no elements, or some elements and no items.

    The first ones see items.
    """

    items: ItemPart

    @property
    def sees_items(self) -> bool:
        """Whether the part sees items, and no elements."""
        return self.number < self.items.count

    @property
    def places(self) -> slice:
        """The places of the elements that the part sees."""
        first = self.items.count
        if self.sees_items:
            return NOTHING
        return slice(self.number - first, None, self.count - first)

    def steps(self, instance: Instance, state: Any) -> Iterator[Any]:
        """Yield the steps of an action that are the part's."""
        for line, step in self.choice.run(instance, state):
            if self.has_line(line) or (self.sees_items and self.items.has_line(line)):
                yield step

    @property
    def choice(self) -> MixedChoice:
        """What gives the part its items in one run."""
        return MixedChoice(self.items, view=self.view, sees_items=self.sees_items)


@define(eq=False, kw_only=True)
class MixedChoice(ItemChoice):
    """What gives a part its items, in one run of an action that goes over sets, too."""

    view: PartView
    sees_items: bool

    def sees_all(self, loop: ItemLoop, frame: FrameType) -> bool:
        """Tell whether a loop that begins in a frame sees all items."""
        return self.view.sees_all_in(frame) or super().sees_all(loop, frame)

    def has_some(self, loop: ItemLoop) -> bool:
        """Tell whether the part has items of a loop."""
        return self.sees_items and super().has_some(loop)
