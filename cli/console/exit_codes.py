"""Exit codes, and which of several is the most severe."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What the process tells its caller."""

    AS_EXPECTED = 0
    USAGE = 2
    """The command line is wrong; nothing was run. Also click's own code."""
    EXPECTATION = 10
    """An expectation is not met, an action is dead, or a witness is not reached."""
    DEADLOCK = 11
    INVARIANT = 12
    STEP_PROPERTY = 13
    NOT_CONFORMING = 14
    """Kafka's own classes do something else than the model."""
    LIVENESS = 15
    """A run that goes on for ever never does what is claimed of it."""
    UNAVAILABLE = 69
    """What replicheck needs is missing: memory to start, Java, or the jars of Kafka."""
    MODEL_ERROR = 75
    """A function of the model raised, or the model breaks the contract."""
    INCOMPLETE = 77
    """A limit or the user ended a search before everything was decided."""
    BAD_INPUT = 151
    """A scenario, a trace or a checkpoint cannot be used."""


BY_SEVERITY = (
    ExitCode.AS_EXPECTED,
    ExitCode.INCOMPLETE,
    ExitCode.EXPECTATION,
    ExitCode.DEADLOCK,
    ExitCode.LIVENESS,
    ExitCode.STEP_PROPERTY,
    ExitCode.INVARIANT,
    ExitCode.NOT_CONFORMING,
    ExitCode.UNAVAILABLE,
    ExitCode.MODEL_ERROR,
    ExitCode.BAD_INPUT,
    ExitCode.USAGE,
)
"""From the least severe to the most: first what is unknown, then what is wrong with the
protocol, then what makes every other answer doubtful."""


FOUND = frozenset(
    {
        ExitCode.EXPECTATION,
        ExitCode.DEADLOCK,
        ExitCode.INVARIANT,
        ExitCode.STEP_PROPERTY,
        ExitCode.NOT_CONFORMING,
        ExitCode.LIVENESS,
        ExitCode.MODEL_ERROR,
    }
)
"""Codes of what is wrong with a model or with Kafka, or not as it was expected."""


def code_without_output(code: object) -> ExitCode:
    """The exit code where an output cannot be written, which hides nothing found.

    Args:
        code: the exit code if all outputs could be written.
    """
    return next((found for found in FOUND if found == code), ExitCode.USAGE)


def most_severe(codes: Iterable[ExitCode]) -> ExitCode:
    """The most severe of the codes; of none, that all is as expected."""
    return max(codes, key=BY_SEVERITY.index, default=ExitCode.AS_EXPECTED)
