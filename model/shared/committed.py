"""What was ever committed."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Record


@frozen
class Committed:
    """A ghost: the longest prefix that was below the high watermark of a true leader.

    Properties read it; nothing else does.
    """

    records: tuple[Record | None, ...] = ()

    def has_any(self) -> bool:
        """Tell whether any record was ever committed."""
        return len(self.records) > 0

    def extend(self, records: tuple[Record | None, ...]) -> Self:
        """Remember a prefix, if it is longer."""
        if len(records) <= len(self.records):
            return self
        return evolve(self, records=records)

    def delete_below(self, end: int) -> Self:
        """Claim nothing any more of what was deleted."""
        kept = self.records[end:]
        return evolve(self, records=(*(None,) * (len(self.records) - len(kept)), *kept))
