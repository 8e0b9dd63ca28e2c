"""Set watch: looks now and then which sets of a search are to be split.

It also looks which cells are to be read as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from math import inf
from typing import TYPE_CHECKING, TypeVar

from attrs import evolve

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.states.layout import Room, Rooms, SplitOtherwise
from replicheck.explorer.states.value_parts import set_class_of

if TYPE_CHECKING:
    from replicheck.explorer.learning.crowded_sets import CrowdedSets
    from replicheck.explorer.states.split_layout import SplitLayout

CROWDED = 128
"""Values of a set that are known one by one; one with more is split."""
MANY = 512
"""A cell of which so many operations are known, one for two values or more, is read as
a whole: each operation has room for what it makes of every value."""
LOOPED = 4
"""A set has so many times as many values before it is split if an action does something
with each item."""
MOST_RUNS = 4
"""An action that runs so many times as often as a set would have values to be split is
learned for parts of a set, if it can be."""
Found = TypeVar("Found")


def set_watch(
    learner: Learner, crowded: int = CROWDED, looped: float = inf
) -> Callable[[], None]:
    """A function that looks which cells are to be learned otherwise.

    It raises `SplitOtherwise` if some are.

    Args:
        crowded: a set with so many values is split, if that spares something.
        looped: the same for one of which an action does something with each item.
    """

    @cache
    def crowded_sets() -> CrowdedSets:
        # Imported only here: in most models no cell has so many values.
        from replicheck.explorer.learning.crowded_sets import CrowdedSets

        return CrowdedSets(learner, crowded, looped)

    def look() -> None:
        if len(learner.tables.operations) >= MANY:
            rooms = _rooms_of_whole_cells(learner)
            if rooms:
                raise SplitOtherwise(rooms)
        values = max(map(len, learner.dictionaries), default=0)
        if values >= crowded or learner.split is not None:
            crowded_sets().look()

    return look


def part_watch(learner: Learner, crowded: int = CROWDED) -> Callable[[], None]:
    """A function that also looks which actions are to be learned for parts of a set.

    See `set_watch`. It is for searches that heed which functions are such parts.
    """
    look_at_sets = set_watch(learner, crowded, LOOPED * crowded)

    def look() -> None:
        if learner.split is not None:
            rooms = _rooms_with_parts(learner, learner.split, MOST_RUNS * crowded)
            if rooms:
                raise SplitOtherwise(rooms)
        look_at_sets()

    return look


def until_split(attempt: Callable[[Rooms], Found], rooms: Rooms) -> Found:
    """What an attempt finds that is begun anew each time sets are split otherwise.

    Args:
        attempt: is given the columns of sets, by field; see `SplitOtherwise`.
        rooms: those of the first attempt.
    """
    while True:
        try:
            return attempt(rooms)
        except SplitOtherwise as other:
            rooms = {**rooms, **other.rooms}


def _rooms_of_whole_cells(learner: Learner) -> dict[str, Room]:
    """The fields of which values are to be read as a whole from here on."""
    counts = Counter(operation.dictionary for operation in learner.tables.operations)
    return {
        dictionary.name: Room(1, is_whole=True)
        for dictionary, count in counts.items()
        if count >= MANY
        and 2 * count >= len(dictionary)
        and set_class_of(dictionary.values[0]) is None
    }


def _rooms_with_parts(
    learner: Learner, split: SplitLayout, most: int
) -> dict[str, Room]:
    """The columns of sets of which actions are to see parts, if any are to.

    Args:
        most: runs of an action that is not to.
    """
    # Imported only here, as above.
    from replicheck.explorer.learning.parted_functions import loops_of, split_sets_of

    rooms: dict[str, Room] = {}
    known = {name for room in split.rooms.values() for name in room.parted}
    for function in learner.functions:
        name = function.instance.name
        effort = learner.effort.get(name)
        if name in known or effort is None or effort.runs <= most:
            continue
        known.add(name)
        loops = loops_of([function], split_sets_of(split))
        if loops:
            field = loops[name][0].field
            room = rooms.get(field, split.rooms[field])
            rooms[field] = evolve(room, parted=(*room.parted, name))
    return rooms
