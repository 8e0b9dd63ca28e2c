"""What a search for an explanation came to."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import frozen

from replicheck.explorer.engines.trace_validation.observations import Event, Observation
from replicheck.explorer.report import Trace


class ExplanationEnding(Enum):
    """What a search for an explanation came to."""

    EXPLAINED = "explained"
    NOT_EXPLAINED = "not explained"
    """No run of the model within its bounds explains the observations."""
    UNDECIDED = "undecided"
    """A limit ended the search."""


@frozen
class Effort:
    """Limits of a search: ``nodes`` visited, and ``seconds`` of wall time or None."""

    nodes: int = 200_000
    seconds: float | None = None


WHOLE = Effort()


@frozen
class NearMiss:
    """An enabled step whose event is in a stream, but is not the next one there.

    ``differences`` are the places in which it differs from the next observation; none
    where only the times refuse it.
    """

    step: str
    observation: Observation
    differences: tuple[str, ...]


@frozen
class StepToCome:
    """A step that the system takes by itself after a run, and what it shows."""

    step: str
    events: tuple[Event, ...]


@frozen
class Explanation:
    """What was found, with the run that explains most.

    ``matched[i]`` are the observations that step ``i`` of the trace explains, none for
    a hidden step. Where the run explains not all, ``next`` has the next observation of
    each stream, and ``near`` the enabled steps that came close to one of them. Where it
    explains all and does not end at rest, ``to_come`` are steps up to one that shows an
    event.
    """

    ending: ExplanationEnding
    trace: Trace[Any]
    matched: tuple[tuple[Observation, ...], ...]
    observations: int
    nodes: int
    states: int
    seconds: float
    next: tuple[Observation, ...] = ()
    near: tuple[NearMiss, ...] = ()
    to_come: tuple[StepToCome, ...] = ()

    @property
    def explained(self) -> int:
        """Number of observations that the run explains."""
        return sum(map(len, self.matched))
