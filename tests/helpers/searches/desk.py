"""A desk of cells with whatever a class of Python can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from attrs import evolve, frozen

from replicheck.model.state_base import Cells

Steps = Iterator["Desk"]


@frozen(order=True)
class Amount:
    """A number with whatever a class of Python can have."""

    n: int = 0

    def up(self, by: int = 1) -> Self:
        """Add to it."""
        return evolve(self, n=self.n + by)

    def up_by_all(self, numbers: list[int]) -> Self:
        """Add several to it."""
        return evolve(self, n=self.n + sum(numbers))

    def is_below(self, limit: int, *, strictly: bool = True) -> bool:
        """Compare it."""
        return self.n < limit if strictly else self.n <= limit

    def is_in(self, numbers: Any) -> bool:
        """Look it up."""
        return self.n in numbers

    def is_less(self, bound: Amount) -> bool:
        """Compare it with another."""
        return self.n < bound.n

    @classmethod
    def most(cls) -> int:
        """A limit."""
        return 3

    @staticmethod
    def least() -> int:
        """Another limit."""
        return 0

    @property
    def is_full(self) -> bool:
        """Compare it with the limit."""
        return self.n >= self.most()

    def __add__(self, other: int) -> Amount:
        return Amount(self.n + other)

    def __radd__(self, other: int) -> Amount:
        return Amount(self.n + other)

    def __int__(self) -> int:
        return self.n

    def __index__(self) -> int:
        return self.n

    def __call__(self, more: int) -> int:
        return self.n + more

    def __str__(self) -> str:
        return f"number {self.n}"


@frozen
class Crate:
    """Holds anything."""

    held: object = None

    def holds(self, thing: object) -> bool:
        """Tell whether it holds a thing."""
        return self.held == thing

    def put(self, thing: object) -> Self:
        """Hold another thing."""
        return evolve(self, held=thing)


@frozen
class Desk(Cells):
    """Numbers alone and in a family, a box, and what a class of states may have."""

    v: Amount = Amount()
    w: Amount = Amount()
    family: tuple[Amount, ...] = (Amount(), Amount())
    box: Crate = Crate()

    def __len__(self) -> int:
        return self.v.n

    def __contains__(self, number: int) -> bool:
        return self.v.n == number

    @property
    def both(self) -> tuple[Amount, Amount]:
        """The numbers that are alone."""
        return self.v, self.w

    @classmethod
    def most(cls) -> int:
        """A limit."""
        return 2
