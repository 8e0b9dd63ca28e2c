"""Random systems in which no place is special: every function takes a place.

What it asks and writes is at that place, or in a cell that belongs to none.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st

from random_models.cells import BOX_OPERATIONS, QUEUE_OPERATIONS, Box, Mixed, Queue
from random_models.functions_as_data import Function, Write
from random_models.systems import Drawing, System, pick
from replicheck.explorer.engine import Limits, Search, Stop
from toys import Toy

FAMILIES = ("boxes", "queues", "numbers")


@frozen
class Renaming:
    """A renaming of places; no value has the name of one in it."""

    to: tuple[int, ...]

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index with the place replaced."""
        if field not in FAMILIES:
            return index
        place, *inner = index
        return (self.to[place], *inner)

    def value(self, value: Any) -> Any:
        """The value as it is."""
        return value

    def then(self, after: Renaming) -> Renaming:
        """The renaming of places that is this one and then another one."""
        return Renaming(tuple(after.to[place] for place in self.to))


@frozen
class SymmetricSystem(System):
    """A random system that is the same under every renaming of its places."""

    @property
    def model(self) -> Toy:
        """The model with its renamings."""
        places = range(len(self.starts[0].boxes))
        _, *others = permutations(places)
        return evolve(super().model, symmetries=tuple(map(Renaming, others)))


@frozen
class SymmetricDrawing(Drawing):
    """Draws parts that speak of the place at hand only."""

    def _index(self, family: tuple[Any, ...], place: bool) -> int | None:
        return None

    def action(self) -> Function:
        """An action."""

        def leaf() -> tuple[tuple[Write, ...], ...]:
            return tuple(
                tuple(self.write(True) for _ in range(pick(self.draw, 1, 1, 2, 3)))
                for _ in range(pick(self.draw, 0, 1, 1, 1, 2))
            )

        return Function("a place", self.tree(3, "a place", leaf))

    def driver(self) -> Function:
        """An action that is enabled nearly everywhere, so that spaces grow."""
        cell = self.cell("boxes", "queues", place=True)
        operations = BOX_OPERATIONS[:3] if cell.name == "boxes" else (QUEUE_OPERATIONS)
        step = (Write(cell, operations=(pick(self.draw, *operations),)),)
        return Function("a place", (step,))

    def predicate(self, *leaves: bool) -> Function:
        """A predicate with these leaves."""
        tree = self.tree(3, "a place", lambda: pick(self.draw, *leaves))
        return Function("a place", tree)


@st.composite
def symmetric_systems(draw: Any) -> SymmetricSystem:
    """Draw a system of two or three places."""
    places, inner = pick(draw, 2, 3), pick(draw, 1, 2)
    start = Mixed(
        constant=7,
        number=0,
        choice=None,
        box=Box(),
        boxes=(Box(pick(draw, 0, 1)),) * places,
        queues=((Queue(),) * inner,) * places,
        numbers=(0,) * places,
    )
    parts = SymmetricDrawing(draw, (start,), may_raise=False)
    rare = (True,) * 9 + (False,)
    return SymmetricSystem(
        starts=(start,),
        actions=(
            *parts.several(2, parts.driver),
            parts.action(),
            *parts.several(2, parts.action),
        ),
        constraints=parts.several(1, lambda: parts.predicate(*rare)),
        always=parts.several(2, lambda: parts.predicate(*rare)),
        sometimes=parts.several(2, lambda: parts.predicate(False, True)),
        steps=parts.several(2, parts.step_predicate),
        asks_for_deadlocks=pick(draw, False, True),
        amounts=1,
        search=Search(Limits(depth=pick(draw, 2, 3, 4, 5)), Stop.DECIDED),
    )
