"""The budget: how much memory and disk a search may take."""

from __future__ import annotations

from replicheck.explorer import memory
from replicheck.explorer.engine import Limits

SHARE = 0.75
"""Part of the free memory that a search takes unless it is told otherwise."""
ROOM = 0.9
"""Part of the budget past which there is no room for growing arrays."""


class Budget:
    """The bytes of memory and disk that a search may take."""

    def __init__(self, limits: Limits) -> None:
        self._base = memory.private()
        self.memory = limits.memory or self._base + int(SHARE * memory.available())
        self.disk = limits.disk

    def has_memory(self, size: int) -> bool:
        """Tell whether there is memory for so many bytes beside what all need."""
        return self._base + size <= ROOM * self.memory

    @property
    def is_kept(self) -> bool:
        """Tell whether the process keeps to it, whatever takes the memory."""
        return memory.private() <= ROOM * self.memory

    def has_disk(self, size: int) -> bool:
        """Tell whether so many bytes may be on the disk."""
        return self.disk is None or size <= self.disk
