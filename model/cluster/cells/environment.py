"""What no part of Kafka holds: how often faults can still happen, and ghosts."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.replication.state import Record


@frozen
class Committed:
    """A ghost: the longest prefix that was below the high watermark of a true leader.

    Properties read it; nothing else does.
    """

    records: tuple[Record | None, ...] = ()

    def has_any(self) -> bool:
        """Tell whether any record was ever committed."""
        return bool(self.records)

    def extend(self, records: tuple[Record | None, ...]) -> Self:
        """Remember a prefix, if it is longer."""
        if len(records) <= len(self.records):
            return self
        return evolve(self, records=records)

    def delete_below(self, end: int) -> Self:
        """Claim nothing any more of what was deleted."""
        kept = self.records[end:]
        return evolve(self, records=(*(None,) * (len(self.records) - len(kept)), *kept))


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


@frozen
class Faults(Budgets):
    """How often each fault can still happen."""

    directory_failures: int = 0
    crashes: int = 0
    restarts: int = 0
    replacements: int = 0
    controller_moves: int = 0
    isr_shrinks: int = 0
    session_expiries: int = 0
    duplicates: int = 0
    lost_replies: int = 0
    preferred_directories: int = 0
    preferred_elections: int = 0
    unclean_elections: int = 0
    shutdowns: int = 0
    topic_deletions: int = 0
    reassignments: int = 0
    cancellations: int = 0
