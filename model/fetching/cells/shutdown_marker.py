"""The file by which a broker's process knows how the one before it ended."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen


@frozen
class ShutdownMarker:
    """Whether a clean shutdown left its marker, and whether logs are as it left them.

    Abstraction: all log directories of a broker have one marker.

    Source: Log.CleanShutdownFile, LogManager.shutdown.
    """

    is_present: bool = False
    is_clean: bool = False

    def is_true(self) -> bool:
        """Tell whether the marker, if it is there, says what is so."""
        return self.is_clean or not self.is_present

    def write(self) -> Self:
        """Leave the marker after a shutdown that flushed every log."""
        return type(self)(is_present=True, is_clean=True)

    def write_too_early(self) -> Self:
        """Leave the marker although logs were not recovered."""
        return evolve(self, is_present=True)

    def touch_logs(self) -> Self:
        """Let a process write to the logs; the marker stays."""
        return evolve(self, is_clean=False)

    def delete(self) -> Self:
        """Delete the marker; a process writes to the logs."""
        return type(self)()


NO_MARKER = ShutdownMarker()
