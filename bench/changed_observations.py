"""Changes of what was observed: corruptions, drops and swaps.

A corruption changes one value in one label: a number by one, a truth value, a text, or
null. A drop leaves out one observation, a swap lets two neighbours of one stream change
places. A swap of equal labels is none.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from replicheck.explorer.engines.trace_validation.observations import Observation

KINDS = CORRUPTION, DROP, SWAP = "corruption", "drop", "swap"
Observations = tuple[Observation, ...]


@frozen(eq=False)
class Change:
    """A change of what was observed.

    ``position`` is that of the first observation of the stream that is another one or
    is missing; ``changed`` is the whole stream with the change.
    """

    kind: str
    place: str
    stream: str
    position: int
    changed: Observations

    def applied_to(self, seen: Observations) -> Observations:
        """All observations with the change, in the order of the file."""
        places = [i for i, one in enumerate(seen) if one.stream == self.stream]
        found: list[Observation | None] = list(seen)
        if len(self.changed) < len(places):
            found[places.pop(self.position)] = None
        for place, one in zip(places, self.changed, strict=True):
            found[place] = one
        return tuple(one for one in found if one is not None)


def changes(seen: Observations) -> Iterator[Change]:
    """Yield each change of observations."""
    by_stream: dict[str, list[Observation]] = {}
    for observation in seen:
        by_stream.setdefault(observation.stream, []).append(observation)
    for stream, observations in by_stream.items():
        for position in range(len(observations)):
            yield from _changes_at(stream, tuple(observations), position)


def _changes_at(stream: str, seen: Observations, position: int) -> Iterator[Change]:
    before, at, after = seen[:position], seen[position], seen[position + 1 :]
    for path in value_paths(at.label):
        place = f"{stream}: {'.'.join(map(str, path))} ({at.source})"
        corrupted = corrupt(at, path)
        yield Change(CORRUPTION, place, stream, position, (*before, corrupted, *after))
    mark = "" if after else ", the last of its stream"
    place = f"{stream} ({at.source}){mark}"
    yield Change(DROP, place, stream, position, (*before, *after))
    if after and at.label != after[0].label:
        swapped = (*before, after[0], at, *after[1:])
        yield Change(SWAP, f"{stream} ({at.source})", stream, position, swapped)


def value_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of the numbers, truth values, texts and nulls in a label."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from value_paths(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from value_paths(part, (*path, index))
    else:
        yield path


def corrupt(observation: Observation, path: tuple[Any, ...]) -> Observation:
    """Observation with another value at one path of its label."""
    label: Any = copy.deepcopy(dict(observation.label))
    *keys, last = path
    place = label
    for key in keys:
        place = place[key]
    place[last] = another(place[last])
    return evolve(observation, label=label)


def another(value: Any) -> Any:
    """A value that differs from one in a label."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return 0 if value is None else f"{value}_OTHER"
