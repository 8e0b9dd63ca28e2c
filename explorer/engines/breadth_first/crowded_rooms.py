"""Crowded rooms: the columns of sets, as a search of the first states finds them.

In a search of several processes all have to split the same sets, so that is decided
before they begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve

from replicheck.explorer.engine import Progress, Search
from replicheck.explorer.engines.breadth_first.engine import judged_levels
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.set_watch import part_watch, until_split
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.states.layout import Layout, Rooms
from replicheck.explorer.states.symmetry import Reduction, renamings_of
from replicheck.explorer.states.value_parts import set_class_of

FIRST_STATES = 1 << 16
"""A search of so many states decides."""


def crowded_rooms(
    model: Model[S],
    properties: Sequence[Property],
    search: Search,
    reduction: Reduction,
    crowded: int,
    started: float,
) -> tuple[Rooms, Search]:
    """The columns of the sets that are to be split, by field, and what is left to do.

    That is the same search, or, if the user ended it here, one that ends at once.

    Args:
        search: its limits and its watch hold here, too.
        crowded: a set with so many values is split, if that spares something.
        started: when the search began.

    Raises:
        ModelError: if the model breaks the contract.
    """
    if not any(map(_has_sets, model.initial_states())):
        return {}, search
    most = search.limits.states
    states = FIRST_STATES if most is None else min(most, FIRST_STATES)
    first = evolve(search, limits=evolve(search.limits, states=states))

    def rooms_of(rooms: Rooms) -> tuple[Rooms, Search]:
        learner = Learner(
            model, properties, renamings_of(model, reduction), rooms=rooms
        )
        level_search: LevelSearch[S] = LevelSearch(
            model,
            properties,
            first,
            ThreadPool(1),
            learner,
            KeyPrecision.BITS_64,
            None,
        )
        level_search.bookkeeping.started = started
        level_search.between_levels = part_watch(learner, crowded)
        try:
            level_search.begin()
            ending = judged_levels(level_search).search()
        finally:
            level_search.close()
        if ending.stopped_by == "interrupted":
            return rooms, evolve(search, watch=_interrupt)
        return rooms, search

    return until_split(rooms_of, {})


def _interrupt(progress: Progress) -> NoReturn:
    raise KeyboardInterrupt


def _has_sets(state: object) -> bool:
    values = Layout.of(state).values(state)
    return any(set_class_of(value) is not None for value in values)
