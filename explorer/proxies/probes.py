"""Looking: views of states that note at which cells a step clause looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicheck.explorer.proxies.calls import Call
from replicheck.explorer.proxies.state_proxy import StateView


class HasRead(BaseException):
    """A function read a cell; no `Exception`, so that it does not catch it."""


class Unread:
    """A reader for finding out whether a function reads anything at all."""

    def read(self, column: int, call: Call) -> Any:
        """Answer no read."""
        raise HasRead


class Looked(Unread):
    """Notes which cells are looked at, and answers no read."""

    def __init__(self) -> None:
        self.columns: set[int] = set()


def looking(view: type[StateView]) -> type[StateView]:
    """Return the class of views whose reader is a `Looked`."""

    def cell(self: StateView, column: int) -> Any:
        self.reader_.columns.add(column)  # type: ignore[attr-defined]
        return view.cell_(self, column)

    return type("Looking", (view,), {"__slots__": (), "cell_": cell})


def supposing(view: type[StateView]) -> Callable[[StateView, frozenset[int]], Any]:
    """Return what makes a view that lacks some writes of another.

    It notes in ``looked_at_`` the written cells that are looked at, in order, but for
    cells that are read as a whole: of these equal values are one object anyway.
    """

    def cell(self: Any, column: int) -> Any:
        if column in self.writes_ and self.cell_views_[column] is not None:
            self.looked_at_[column] = True
        return view.cell_(self, column)

    kind: Any = type("Supposed", (view,), {"__slots__": ("looked_at_",), "cell_": cell})

    def supposed(after: StateView, same: frozenset[int]) -> Any:
        made = object.__new__(kind)
        made.reader_, made.cells_, made.looked_at_ = after.reader_, after.cells_, {}
        made.writes_ = {
            column: value
            for column, value in after.writes_.items()
            if column not in same
        }
        return made

    return supposed
