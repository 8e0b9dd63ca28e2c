"""What stands in the way of Kafka's classes, and what they did not take."""

from __future__ import annotations


class HarnessUnavailable(Exception):
    """There is no Java, no jar, or no compiled harness; the message says what to do."""


ENDED = "end"
"""Kind of the error of a process that has ended."""
HANGS = "timeout"
"""Kind of the error of a process that gave no answer, and was killed."""


class HarnessError(Exception):
    """The harness took no command, or the code of Kafka raised in one.

    ``kind`` is the Java class of the error, `ENDED` or `HANGS`; ``trace`` its stack.
    """

    def __init__(self, command: str, kind: str, message: str, trace: str = "") -> None:
        super().__init__(f"{command}: {kind}: {message}")
        self.command = command
        self.kind = kind
        self.message = message
        self.trace = trace

    @property
    def is_refused(self) -> bool:
        """Tell whether the command made no sense in the state that it came in."""
        return self.kind.endswith(".CannotBeTaken")

    @property
    def has_ended(self) -> bool:
        """Tell whether the process takes no command any more."""
        return self.kind in (ENDED, HANGS)
