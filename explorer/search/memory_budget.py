"""Memory budget: how much memory and disk a search may take."""

from __future__ import annotations

from replicheck.explorer.engine import Limits
from replicheck.explorer.runtime.memory import process_memory

SHARE = 0.75
"""Part of the free memory that a search takes unless it is told otherwise."""
ROOM = 0.9
"""Part of the budget past which there is no room for growing arrays."""
LEAST = 1 << 28
"""Bytes that a search may take in any case: some cannot move to the disk."""
WORTH_MOVING = 1 << 22
"""Bytes of new states; fewer are moved to the disk only if they outgrow the budget."""
PATH_SHARE = 1 / 32
"""Part of all that is in memory; less than that of the path is not moved by itself."""


class BudgetExceeded(MemoryError):
    """The budget is used up: it was looked at before anything was changed."""


class MemoryBudget:
    """The bytes of memory and disk that a search may take."""

    def __init__(self, limits: Limits) -> None:
        self.base = process_memory.private_bytes()
        """What the process took before the search."""
        self.memory = limits.memory or self.base + int(
            SHARE * process_memory.available_bytes()
        )
        self.disk = limits.disk
        self.most = self._now = self.base
        """The most bytes that the process was seen to take, mapped files apart."""

    @property
    def ceiling(self) -> int:
        """Bytes of which the process may not take more."""
        return max(self.memory, self.base + LEAST)

    def look(self) -> None:
        """See how much memory the process takes now."""
        self._now = process_memory.private_bytes()
        self.most = max(self.most, self._now)

    def has_memory(self, size: int) -> bool:
        """Tell whether there is memory for so many bytes beside what all need."""
        return self.base + size <= ROOM * self.memory

    def is_kept(self, more: int) -> bool:
        """Tell whether the process, as it was seen last, can take so much more."""
        return self._now + more <= ROOM * self.memory

    @staticmethod
    def is_path_worth_moving(path: int, size: int) -> bool:
        """Tell whether a path that takes so many of all bytes is moved by itself."""
        return path >= max(WORTH_MOVING, PATH_SHARE * size)

    @property
    def is_exceeded(self) -> bool:
        """Tell whether the process, as it was seen last, takes more than it may."""
        return self._now > self.ceiling

    def require_memory(self) -> None:
        """See how much memory the process takes.

        Raises:
            BudgetExceeded: if it is more than it may.
        """
        self.look()
        if self.is_exceeded:
            raise BudgetExceeded("the memory budget is used up")

    def require_room(self, more: int) -> None:
        """See whether the process can take so many bytes more than it takes now.

        Raises:
            BudgetExceeded: if it would be more than it may.
        """
        self.look()
        if self._now + more > self.ceiling:
            raise BudgetExceeded(f"the memory budget has no room for {more:,} bytes")

    def has_disk(self, size: int) -> bool:
        """Tell whether so many bytes may be on the disk."""
        return self.disk is None or size <= self.disk


class ExactMemoryBudget(MemoryBudget):
    """The bytes of memory that walks may take; nothing is moved to the disk."""

    @property
    def ceiling(self) -> int:
        """Bytes of which the process may not take more."""
        return self.memory
