"""Observations of a real system: labelled events, in streams that are ordered each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

Label = Mapping[str, Any]
"""An event as a JSON object. A key that an observation lacks was not seen."""

Event = tuple[str, Label]
"""A stream, and the label that a step of the model shows in it.

A value `...` is one that the model leaves open: whatever was seen matches it.
"""


@frozen
class Observation:
    """An event that was seen in a stream, between two times.

    ``begin`` and ``end`` are milliseconds of one clock; ``source`` says where it was
    read, such as ``server-0.log:1234``.
    """

    stream: str
    begin: int
    end: int
    label: Label
    source: str = ""

    @property
    def kind(self) -> str:
        """Kind of the stream: the first word of its name."""
        return self.stream.partition(" ")[0]


@frozen
class Streams:
    """Observations by stream, each stream in its order.

    Between streams only the times speak: an event cannot come before another that had
    ended more than ``slack`` milliseconds before it began. ``slack`` is None where the
    clocks say nothing.
    """

    names: tuple[str, ...]
    observations: tuple[tuple[Observation, ...], ...]
    slack: int | None

    @classmethod
    def of(cls, observations: Sequence[Observation], slack: int | None) -> Streams:
        """Streams of observations; their order within a stream is that given."""
        by_name: dict[str, list[Observation]] = {}
        for observation in observations:
            by_name.setdefault(observation.stream, []).append(observation)
        names = tuple(sorted(by_name))
        return cls(names, tuple(tuple(by_name[name]) for name in names), slack)

    @property
    def count(self) -> int:
        """Number of observations in all streams."""
        return sum(map(len, self.observations))

    def heads(self, cursors: Sequence[int]) -> Iterator[Observation]:
        """Next observation of each stream that has one, in the order of names."""
        for observations, cursor in zip(self.observations, cursors, strict=True):
            if cursor < len(observations):
                yield observations[cursor]

    def deadline(self, cursors: Sequence[int]) -> float:
        """Time in ms after which nothing can begin before one of the heads happens."""
        if self.slack is None:
            return float("inf")
        ends = (observation.end for observation in self.heads(cursors))
        return min(ends, default=float("inf")) + self.slack


def differences(seen: Any, shown: Any, path: str = "") -> Iterator[str]:
    """Places where what was seen differs from what a step shows; none if it matches.

    An object matches one that has equal values for its keys; lists match element by
    element; `...` matches whatever was seen.
    """
    if shown is ...:
        return
    if isinstance(seen, Mapping) and isinstance(shown, Mapping):
        for key, value in seen.items():
            place = f"{path}.{key}" if path else str(key)
            if key in shown:
                yield from differences(value, shown[key], place)
            else:
                yield f"{place}: seen {value}, which the model does not show"
    elif isinstance(seen, list | tuple) and isinstance(shown, list | tuple):
        if len(seen) != len(shown):
            yield f"{path}: seen {list(seen)}, the model shows {list(shown)}"
            return
        for index, (left, right) in enumerate(zip(seen, shown, strict=True)):
            yield from differences(left, right, f"{path}[{index}]")
    elif seen != shown or isinstance(seen, bool) is not isinstance(shown, bool):
        yield f"{path}: seen {seen}, the model shows {shown}"


def matches(seen: Label, shown: Label) -> bool:
    """Tell whether a label that was seen is what a step shows."""
    return next(differences(seen, shown), None) is None


@define(eq=False)
class KnownMatches:
    """Known matches: which labels match, each pair being compared once."""

    _found: dict[tuple[int, int], tuple[bool, Label, Label]] = field(
        init=False, factory=dict
    )
    """By the identities of two labels, which it keeps alive."""

    def has(self, seen: Label, shown: Label) -> bool:
        """Tell whether a label that was seen is what a step shows."""
        key = id(seen), id(shown)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (matches(seen, shown), seen, shown)
        return found[0]
