"""Probes: proxies that tell whether, and at which cells, a function looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from replicheck.explorer.proxies.calls import WHOLE, Call, evaluate_call
from replicheck.explorer.proxies.proxy import Proxy
from replicheck.explorer.proxies.state_proxy import StateProxy

if TYPE_CHECKING:
    from replicheck.explorer.states.set_elements import Elements


class HasRead(BaseException):
    """A function read a cell of a state that answers no read.

    No `Exception`, so that the function does not catch it.
    """


class NoRow(Sequence[int]):
    """The row of a recorder between two runs; to read it is to have kept it."""

    def __getitem__(self, index: Any) -> Any:
        raise HasRead

    def __len__(self) -> int:
        return 0


class RefusingReader:
    """A reader that ends a function which reads anything at all."""

    def read(self, column: int, call: Call) -> Any:
        """Answer no read."""
        raise HasRead

    def rely(self, elements: Elements, call: Call) -> None:
        """Answer nothing that rests on which elements a set has had."""
        raise HasRead


class Probe(RefusingReader):
    """Notes which cells are looked at, and answers no read."""

    def __init__(self) -> None:
        self.columns: set[int] = set()


class NotingReader(RefusingReader):
    """Notes which cells are read, and answers by the values of a state."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.columns: set[int] = set()
        self._values = values

    def read(self, column: int, call: Call) -> Any:
        """The answer of a value of the state."""
        self.columns.add(column)
        value = self._values[column]
        return value if call == WHOLE else evaluate_call(value, call)

    def rely(self, elements: Elements, call: Call) -> None:
        """The state has elements that are known."""


class Unread:
    """The value of a cell that was not read: itself, and of no use else."""

    def __eq__(self, other: object) -> bool:
        if other is not self:
            raise HasRead
        return True

    __hash__ = None  # type: ignore[assignment]


class ComparingProbe(Probe):
    """A probe of a function that only compares cells of two states by their values."""

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[int, Unread] = {}

    def read(self, column: int, call: Call) -> Any:
        """A value that stands for that of the cell; any other read ends the function.

        Raises:
            HasRead: if it is another.
        """
        if call != WHOLE:
            raise HasRead
        return self._values.setdefault(column, Unread())


def probe_class(proxy: type[StateProxy]) -> type[StateProxy]:
    """A class of proxies whose reader is a `Probe`."""

    def cell(self: StateProxy, column: int) -> Any:
        self.reader_.columns.update(self.columns_at_(column))  # type: ignore[attr-defined]
        return proxy.cell_(self, column)

    # To compare a state with another one is to look at all of it.
    members = {"__slots__": (), "cell_": cell, "__eq__": Proxy.__eq__}
    return type("ProbingProxy", (proxy,), {**members, "__hash__": Proxy.__hash__})


def without_writes(
    proxy: type[StateProxy],
) -> Callable[[StateProxy, frozenset[int]], Any]:
    """A constructor of proxies that lack some writes of another.

    It notes in ``probed_`` the written cells that are looked at, in order, but for
    cells that are read as a whole: of these equal values are one object anyway. So does
    what it is evolved to, of cells that have what the step wrote.
    """

    def cell(self: Any, column: int) -> Any:
        written = self.written_.get(column, self)
        is_of_step = self.writes_.get(column, column) is written
        if is_of_step and self.cell_proxies_[column] is not None:
            self.probed_[column] = True
        return proxy.cell_(self, column)

    def evolve(self: Any, **cells: Any) -> Any:
        after: Any = proxy.evolve(self, **cells)
        after.probed_, after.written_ = self.probed_, self.written_
        return after

    members = {"cell_": cell, "evolve": evolve, "judges_steps_": True}
    slots = {"__slots__": ("probed_", "written_")}
    kind: Any = type("ReducedProxy", (proxy,), {**slots, **members})

    def supposed(after: StateProxy, same: frozenset[int]) -> Any:
        made = object.__new__(kind)
        made.reader_, made.cells_, made.probed_ = after.reader_, after.cells_, {}
        made.writes_ = made.written_ = {
            column: value
            for column, value in after.writes_.items()
            if column not in same
        }
        return made

    return supposed
