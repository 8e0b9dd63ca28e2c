"""Encoding watch: looks now and then what a search is to learn otherwise.

Sets may be split, cells read as a whole, and actions learned for parts of what they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from attrs import evolve

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.states.encoding import CellEncoding, EncodedOtherwise, Encoding
from replicheck.explorer.states.value_parts import set_class_of

if TYPE_CHECKING:
    from replicheck.explorer.learning.crowded_sets import CrowdedSets
    from replicheck.explorer.states.split_layout import SplitLayout

CROWDED = 128
"""Values of a set that are known one by one; one with more is split."""
MANY = 512
"""A cell of which so many operations are known, one for two values or more, is read as
a whole: each operation has room for what it makes of every value."""
MOST_RUNS = 4
"""An action that runs so many times as often as a set would have values to be split is
learned for parts of a set, if it can be."""
SELDOM = 64
"""An action that runs for one in so many states, or for fewer, is not learned item by
item: to begin the search anew would take longer than what that spares."""
FIRST_STATES = 1 << 16
"""So many states show how cells and actions are to be learned, nearly always."""
Found = TypeVar("Found")


class Watch(Protocol):
    """Looks which cells and actions are to be learned otherwise."""

    def __call__(self, states: int = 0) -> None:
        """Raise `EncodedOtherwise` if some are.

        Args:
            states: so many are known, or so many steps of walks were taken.
        """


def encoding_watch(learner: Learner, crowded: int = CROWDED) -> Watch:
    """A function that looks which cells and actions are to be learned otherwise.

    Args:
        crowded: a set with so many values is split, if that spares something.
    """
    tried: dict[str, int] = {}

    @cache
    def crowded_sets() -> CrowdedSets:
        # Imported only here: in most models no cell has so many values.
        from replicheck.explorer.learning.crowded_sets import CrowdedSets

        return CrowdedSets(learner, crowded)

    def look(states: int = 0) -> None:
        if learner.split is not None:
            cells = _sets_with_parts(learner, learner.split, MOST_RUNS * crowded)
            if cells:
                raise EncodedOtherwise(Encoding(cells))
        if len(learner.tables.operations) >= MANY:
            cells = _whole_cells(learner)
            if cells:
                raise EncodedOtherwise(Encoding(cells))
        values = max(map(len, learner.dictionaries), default=0)
        if values >= crowded or learner.split is not None:
            crowded_sets().look()
        most = max(MOST_RUNS * crowded, states // SELDOM)
        loops = _loops_with_parts(learner, most, tried)
        if loops:
            raise EncodedOtherwise(Encoding(loops=loops))

    return look


def until_found(attempt: Callable[[Encoding], Found], encoding: Encoding) -> Found:
    """What an attempt finds that is begun anew with each other encoding.

    Args:
        attempt: is given the encoding, and raises `EncodedOtherwise`.
        encoding: that of the first attempt.
    """
    while True:
        try:
            return attempt(encoding)
        except EncodedOtherwise as other:
            encoding |= other.encoding


def _whole_cells(learner: Learner) -> dict[str, CellEncoding]:
    """The fields of which values are to be read as a whole from here on."""
    counts = Counter(operation.dictionary for operation in learner.tables.operations)
    return {
        dictionary.name: CellEncoding(1, is_whole=True)
        for dictionary, count in counts.items()
        if count >= MANY
        and 2 * count >= len(dictionary)
        and set_class_of(dictionary.values[0]) is None
    }


def _sets_with_parts(
    learner: Learner, split: SplitLayout, most: int
) -> dict[str, CellEncoding]:
    """The columns of sets of which actions are to see parts, if any are to.

    Args:
        most: runs of an action that is not to.
    """
    # Imported only here, as above.
    from replicheck.explorer.learning.parts.item_claims import claimed_over
    from replicheck.explorer.learning.parts.parted_functions import (
        loops_of,
        split_sets_of,
    )

    over, sets = split_sets_of(split), split.set_encodings
    found = dict[str, CellEncoding]()
    known = {name for of in sets.values() for name in of.parted}
    for function in learner.functions:
        name = function.instance.name
        effort = learner.effort.get(name)
        if name in known or effort is None or effort.runs <= most:
            continue
        known.add(name)
        loops = loops_of([function], over).get(name) or claimed_over(function, over)
        if loops:
            field = loops[0].field
            encoding = found.get(field, sets[field])
            found[field] = evolve(encoding, parted=(*encoding.parted, name))
    return found


def _loops_with_parts(
    learner: Learner, most: int, tried: dict[str, int]
) -> dict[str, tuple[int, int]]:
    """The actions that are to be learned item by item, and for how many parts each.

    Args:
        most: runs of an action that is not to.
        tried: for each action how often it read something when it was not to.
    """
    found: dict[str, tuple[int, int]] = {}
    for name, effort in learner.effort.items():
        if effort.runs <= most or name in learner.encoding.loops:
            continue
        if effort.most_reads > tried.get(name, 0):
            tried[name] = effort.most_reads
            # Imported only here, as above.
            from replicheck.explorer.learning.parts.item_sizes import sizes_that_spare

            sizes = sizes_that_spare(learner, name)
            if sizes is not None:
                found[name] = sizes
    return found
