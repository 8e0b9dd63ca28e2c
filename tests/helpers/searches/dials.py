"""A model of dials, for what learning must not get wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from attrs import evolve, frozen

from engines import ENGINES
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

LEARNING = [engine for engine in ENGINES if not isinstance(engine, Naive)]


KEEP_GOING = Search(stop=Stop.DECIDED)


@frozen
class Dial:
    """A number from 0 to 3."""

    number: int = 0

    @property
    def is_on(self) -> bool:
        """Tell whether it is not at 0."""
        return self.number > 0

    @property
    def share(self) -> int:
        """A quotient; raises at 0."""
        return 6 // self.number

    def turn(self) -> Self:
        """Add one, up to the end."""
        return evolve(self, number=min(self.number + 1, 3))

    def turn_on(self) -> Self:
        """Add one; raises at the end."""
        return evolve(self, number=(1, 2, 3)[self.number])


@frozen
class Dials(Cells):
    """Two dials and a number."""

    left: Dial = Dial()
    right: Dial = Dial()
    number: int = 0


def explore(
    engine: Engine, *actions: Any, properties: tuple[Property, ...] = ()
) -> Report[Any]:
    """An engine's report on a model with one initial state."""
    return engine.explore(Toy(actions, (Dials(),)), properties, KEEP_GOING)


def turn_left(state: Dials) -> Iterator[Dials]:
    """Turn the left dial."""
    yield state.evolve(left=state.left.turn())
