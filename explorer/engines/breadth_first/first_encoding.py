"""First encoding: how cells are learned, as a search of the first states finds.

In a search of several processes all have to learn the same parts of actions, and split
the same sets, so that is decided before they begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve

from replicheck.explorer.engine import Progress, Search
from replicheck.explorer.engines.breadth_first.engine import judged_levels
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import (
    FIRST_STATES,
    encoding_watch,
    until_found,
)
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.states.encoding import AT_FIRST, Encoding
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.symmetry import Reduction, renamings_of
from replicheck.explorer.states.value_parts import set_class_of


def first_encoding(
    model: Model[S],
    properties: Sequence[Property],
    search: Search,
    reduction: Reduction,
    crowded: int,
    started: float,
) -> tuple[Encoding, Search]:
    """The encoding of a search in tasks, and what is left to do.

    That is the same search, or, if the user ended it here, one that ends at once.

    Args:
        search: its limits and its watch hold here, too.
        crowded: a set with so many values is split, if that spares something.
        started: when the search began.

    Raises:
        ModelError: if the model breaks the contract.
    """
    if not any(map(_has_sets, model.initial_states())):
        return AT_FIRST, search
    most = search.limits.states
    states = FIRST_STATES if most is None else min(most, FIRST_STATES)
    first = evolve(search, limits=evolve(search.limits, states=states))

    def encoding_of(encoding: Encoding) -> tuple[Encoding, Search]:
        learner = Learner(
            model, properties, renamings_of(model, reduction), encoding=encoding
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
        level_search.between_levels = encoding_watch(learner, crowded)
        try:
            level_search.begin()
            ending = judged_levels(level_search).search()
        finally:
            level_search.close()
        if ending.stopped_by == "interrupted":
            return encoding, evolve(search, watch=_interrupt)
        return encoding, search

    return until_found(encoding_of, AT_FIRST)


def _interrupt(progress: Progress) -> NoReturn:
    raise KeyboardInterrupt


def _has_sets(state: object) -> bool:
    values = Layout.of(state).values(state)
    return any(set_class_of(value) is not None for value in values)
