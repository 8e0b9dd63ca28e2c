"""Laws of queues: what a class of values says of its ends.

A class whose values are queues may name, in two class attributes, its methods and
attributes ``AT_END`` and ``AT_HEAD``, and have a method ``is_empty``. For a value that
is not empty, every operation *a* at the end, and every operation *h* and every question
*q* at the head, it promises that none of them raises because of the other one, that
``v.a().h() == v.h().a()``, that ``v.a().q() == v.q()``, and that ``v.a()`` is not
empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    AT_HEAD,
    NO_LAW,
)
from replicheck.explorer.proxies.calls import Call


@frozen
class QueueLaws:
    """What the class of a cell's values names; nothing unless they are queues."""

    at_end: frozenset[str] = frozenset()
    at_head: frozenset[str] = frozenset()

    @classmethod
    def of(cls, value: Any) -> QueueLaws:
        """The laws of the class of a value."""
        kind = type(value)
        at_end: Sequence[str] = getattr(kind, "AT_END", ())
        at_head: Sequence[str] = getattr(kind, "AT_HEAD", ())
        return cls(frozenset(at_end), frozenset(at_head))

    @property
    def are_known(self) -> bool:
        """Tell whether the values are queues."""
        return bool(self.at_end)

    def law_of(self, calls: Sequence[Call]) -> int:
        """The law of an operation: AT_END, AT_HEAD or NO_LAW."""
        names = {name for name, _ in calls}
        if names <= self.at_end:
            return AT_END
        return AT_HEAD if names <= self.at_head else NO_LAW

    def is_of_head(self, call: Call) -> bool:
        """Tell whether a question asks for the head alone."""
        return call[0] in self.at_head

    def has_head(self, value: Any) -> bool:
        """Tell whether a value is a queue that is not empty."""
        return self.are_known and not value.is_empty()
