"""What a describer says of the states of one model, so that a trace can be drawn.

Nothing in this package knows what a cell means. The writer of a trace hands in a
describer of its model; everything here is met by shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Message(Protocol):
    """One lane tells another something within a step."""

    @property
    def source(self) -> str:
        """The lane that tells."""

    @property
    def target(self) -> str:
        """The lane that is told."""


class MessageInFlight(Protocol):
    """A message that was sent and is not received yet."""

    @property
    def source(self) -> str:
        """The lane that sent it."""

    @property
    def target(self) -> str:
        """The lane that will receive it."""

    @property
    def kind(self) -> str:
        """What it is, in short."""


class Run(Protocol):
    """Records of one epoch that stand side by side."""

    @property
    def epoch(self) -> int:
        """The epoch of the records."""

    @property
    def start(self) -> int:
        """The offset of the first."""

    @property
    def records(self) -> tuple[str, ...]:
        """Each record in short; equal texts are equal records."""


class Strip(Protocol):
    """One log with what marks it; None where nothing in the state tells."""

    @property
    def name(self) -> str:
        """Name of the log's owner."""

    @property
    def lane(self) -> str:
        """The lane of its owner."""

    @property
    def runs(self) -> Sequence[Run]:
        """Its records, epoch by epoch."""

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""

    @property
    def high_watermark(self) -> int | None:
        """The offset below which its owner takes records for committed."""

    @property
    def leads(self) -> bool:
        """Tell whether its owner believes that it leads."""

    @property
    def is_accessible(self) -> bool:
        """Tell whether its records can be read: its disk has not failed."""

    @property
    def marks(self) -> tuple[str, ...]:
        """Beliefs of the log's owner, and what is stored of it."""


class Describer(Protocol):
    """Speaks for one model."""

    def lanes(self, state: Any) -> tuple[str, ...]:
        """The participants of a run, in the order of drawing."""

    def lane_of_cell(self, cell: str) -> str | None:
        """The lane to which a cell belongs, by its name; None if to none."""

    def actor(self, action: str, arguments: Mapping[str, Any]) -> str | None:
        """The lane that takes a step, or None if it is no lane's."""

    def messages(
        self, action: str, arguments: Mapping[str, Any], changed: Sequence[str]
    ) -> Sequence[Message]:
        """Messages: who told whom in a step that changed the cells with these names."""

    def in_flight(self, state: Any) -> Sequence[MessageInFlight]:
        """Messages in flight: the older ones of each pair of lanes first."""

    def strips(self, state: Any) -> Sequence[Strip]:
        """The log of everyone who has one, in the order of drawing."""

    def rules(self, action: str) -> tuple[str, ...]:
        """The ids of the rules that an action follows."""

    def summary(self, action: str) -> str:
        """What an action does, in a line, or nothing."""

    def has_loop(self, action: str) -> bool:
        """Tell whether an action loops over what a step takes: no argument tells it."""

    def is_fault(self, action: str, before: Any, after: Any) -> bool:
        """Tell whether the step of an action from one state to another is a fault."""
