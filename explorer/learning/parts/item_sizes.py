"""How many parts spare something: for actions that read less item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from replicheck.explorer.learning.learned_functions import LearnedFunction
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.item_parts import (
    AS_A_WHOLE,
    Sizes,
    loops_over_items,
)
from replicheck.explorer.learning.parts.parted_functions import sets_in
from replicheck.explorer.proxies.calls import NoMoreSteps, QuestionRaised
from replicheck.explorer.proxies.items.item_choice import ItemChoice, ItemPart
from replicheck.explorer.proxies.probes import NotingReader
from replicheck.explorer.proxies.state_proxy import StateProxy

MOST_BY_ITEMS = 16
"""Parts at most by the items of a loop."""
MOST = 256
"""Parts at most of all instances of an action."""


def sizes_that_spare(learner: Learner, action: str) -> Sizes | None:
    """For how many parts an action is to be learned; None if that would spare nothing.

    It spares something if the parts read half of the cells on average, or fewer, in the
    state in which the action read most.
    """
    instance, row = learner.effort[action].widest
    function = learner.functions[instance]
    layout, start = learner.layout, learner.starts[0]
    loops = loops_over_items(function, sets_in(layout.plain, start))
    if not loops:
        return None
    state = learner.proxy(reader := NotingReader(learner.values(row)))
    whole = ItemChoice(ItemPart(loops, AS_A_WHOLE, 0))
    columns = len(_read_by(whole, function, state, reader))
    instances = sum(other.instance.name == action for other in learner.functions)
    for sizes in _candidates(whole.lengths, MOST // instances):
        outer, inner = sizes
        parts = (ItemPart(loops, sizes, number) for number in range(outer * inner))
        read = [
            len(_read_by(ItemChoice(part), function, state, reader)) for part in parts
        ]
        if 2 * sum(read) <= len(read) * columns:
            return sizes
    return None


def _candidates(lengths: Sequence[int], most: int) -> Iterator[Sizes]:
    """Yield what may be worth it, fewer parts first."""
    outer, inner = (min(length, MOST_BY_ITEMS) for length in lengths)
    for sizes in ((outer, 1), (1, inner), (outer, inner)):
        if 1 < sizes[0] * sizes[1] <= most:
            yield sizes


def _read_by(
    choice: ItemChoice,
    function: LearnedFunction,
    state: StateProxy,
    reader: NotingReader,
) -> set[int]:
    """The columns that the steps of a part read."""
    reader.columns = set()
    with suppress(Exception, NoMoreSteps, QuestionRaised):
        for _ in choice.steps(function.instance, state):
            pass
    return reader.columns
