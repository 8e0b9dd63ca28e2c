"""Set watch: looks now and then which sets of a search are to be split."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.states.layout import Rooms, SplitOtherwise

if TYPE_CHECKING:
    from replicheck.explorer.learning.crowded_sets import CrowdedSets

CROWDED = 128
"""Values of a set that are known one by one; one with more is split."""
Found = TypeVar("Found")


def set_watch(learner: Learner, crowded: int = CROWDED) -> Callable[[], None]:
    """A function that looks which sets have become crowded.

    It raises `SplitOtherwise` if some are to have other columns.

    Args:
        crowded: a set with so many values is split, if that spares something.
    """

    @cache
    def crowded_sets() -> CrowdedSets:
        # Imported only here: in most models no cell has so many values.
        from replicheck.explorer.learning.crowded_sets import CrowdedSets

        return CrowdedSets(learner, crowded)

    def look() -> None:
        values = max(map(len, learner.dictionaries), default=0)
        if values >= crowded or learner.split is not None:
            crowded_sets().look()

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
