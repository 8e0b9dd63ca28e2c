"""Streams of which one may differ by one change: the places in them.

A stream has a place before each observation and one at its end. A change adds places
beside those: what it lets be next instead, up to where the stream goes on as it was
observed. So a place says all that is left of its stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from attrs import define, field

from changed_observations import Change
from replicheck.explorer.engines.trace_validation.observations import (
    Label,
    Observation,
    Streams,
    matches,
)


@define(eq=False)
class ChangedStream:
    """Places of one stream.

    At each is the observation that is next, None at the end, and the place behind it.
    ``behind`` has how many observations of the unchanged stream a place is behind,
    ``branches`` the changes that can be made at a place, each with the place to which
    it leads.
    """

    seen: Sequence[Observation]
    following: list[int] = field(init=False)
    next: list[Observation | None] = field(init=False)
    behind: list[int] = field(init=False)
    branches: list[list[tuple[int, int]]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.next = [*self.seen, None]
        self.following = [*range(1, len(self.next)), len(self.seen)]
        self.behind = [*range(len(self.next))]
        self.branches = [[] for _ in self.next]

    @property
    def end(self) -> int:
        """The place at which nothing is left, whatever was changed."""
        return len(self.seen)

    def add(self, number: int, change: Change) -> None:
        """Add the places of a change."""
        begin, changed = change.position, change.changed
        tail = _common_tail(self.seen[begin:], changed[begin:])
        instead = changed[begin : len(changed) - tail]
        rejoins = len(self.seen) - tail
        first = len(self.next)
        places = [*range(first, first + len(instead)), rejoins]
        self.next += instead
        self.following += [after for _, after in pairwise(places)]
        self.behind += range(begin, begin + len(instead))
        self.branches += [[] for _ in instead]
        self.branches[begin].append((number, places[0]))

    def drops_of_last(self, place: int) -> set[int]:
        """Changes that let nothing be left at a place."""
        return {number for number, after in self.branches[place] if after == self.end}

    def is_next(self, place: int, label: Label) -> bool:
        """Tell whether a label is that of the observation at a place."""
        seen = self.next[place]
        return seen is not None and matches(seen.label, label)

    def can_show(self, labels: Sequence[Label], is_free: bool) -> list[bool]:
        """For each place, whether what is next from there on has labels in their order.

        A change can be made on the way only where the stream ``is_free`` of one.
        """
        unseen = [len(labels)] * len(self.next)
        """So many labels, from the first, are not among what comes."""
        unchanged = range(self.end - 1, -1, -1)
        for place in (*unchanged, *range(len(self.next) - 1, self.end, -1)):
            unseen[place] = self._before(place, unseen[self.following[place]], labels)
        with_a_change = [*unseen]
        if is_free:
            for place in unchanged:
                after = with_a_change[self.following[place]]
                with_a_change[place] = min(
                    self._before(place, after, labels),
                    *(unseen[branch] for _, branch in self.branches[place]),
                    len(labels),
                )
        return [count == 0 for count in with_a_change]

    def _before(self, place: int, unseen: int, labels: Sequence[Label]) -> int:
        """How many labels are not among what comes from a place on."""
        is_shown = unseen > 0 and self.is_next(place, labels[unseen - 1])
        return unseen - is_shown


@define(eq=False)
class ChangedStreams:
    """All streams, each with the places of the changes of it."""

    streams: Streams
    changes: Sequence[Change] = ()
    index: dict[str, int] = field(init=False)
    by_stream: list[ChangedStream] = field(init=False)
    stream_of: list[int] = field(init=False)
    """Of each change the number of its stream."""

    def __attrs_post_init__(self) -> None:
        self.index = {name: i for i, name in enumerate(self.streams.names)}
        self.by_stream = [ChangedStream(seen) for seen in self.streams.observations]
        self.stream_of = [self.index[change.stream] for change in self.changes]
        for number, change in enumerate(self.changes):
            self.by_stream[self.stream_of[number]].add(number, change)

    def ends(self, stream: int) -> Iterator[int | None]:
        """Yield for each place of a stream when what is next there has ended."""
        for seen in self.by_stream[stream].next:
            yield None if seen is None else seen.end

    def can_show(
        self, name: str, label: Label, places: Mapping[int, int], is_free: bool
    ) -> bool:
        """Tell whether a stream shows a label from its place on, as `ChangedStream`."""
        stream = self.index[name]
        return self.by_stream[stream].can_show([label], is_free)[places[stream]]


def _common_tail(one: Sequence[Observation], two: Sequence[Observation]) -> int:
    """Number of observations at the end that are the same."""
    most = min(len(one), len(two))
    return next((n for n in range(most) if one[-1 - n] is not two[-1 - n]), most)
