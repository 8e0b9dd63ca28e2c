"""Budgets: how often faults can still happen."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen


@frozen
class Budgets:
    """How often each of some kinds of event can still happen; the fields are kinds."""

    def allow(self, kind: str) -> bool:
        """Tell whether a fault can still happen."""
        left: int = getattr(self, kind)
        return left > 0

    def spend(self, kind: str) -> Self:
        """Let a fault happen once less."""
        return evolve(self, **{kind: getattr(self, kind) - 1})
