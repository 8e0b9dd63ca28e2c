"""How many parts spare something: for actions that read less item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from attrs import frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.item_parts import (
    AS_A_WHOLE,
    PartByItems,
    Sizes,
    item_parts,
)
from replicheck.explorer.learning.parts.parted_functions import sets_in
from replicheck.explorer.proxies.calls import NoMoreSteps, QuestionRaised
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
    number, row = learner.effort[action].widest
    function = learner.functions[number]
    sets = sets_in(learner.layout.plain, learner.starts[0])
    trial = _Trial(function.instance, learner.proxy, learner.values(row))
    whole = item_parts(function, AS_A_WHOLE, sets)
    if not whole:
        return None
    columns, lengths = trial.read_by(whole[0])
    instances = sum(other.instance.name == action for other in learner.functions)
    for outer, inner in _candidates(lengths, MOST // instances):
        parts = item_parts(function, (outer, inner), sets)[: outer * inner]
        read = sum(trial.read_by(part)[0] for part in parts)
        if 2 * read <= len(parts) * columns:
            return outer, inner
    return None


def _candidates(lengths: Sequence[int], most: int) -> Iterator[Sizes]:
    """Yield what may be worth it, fewer parts first."""
    outer, inner = (min(length, MOST_BY_ITEMS) for length in lengths)
    for sizes in ((outer, 1), (1, inner), (outer, inner)):
        if 1 < sizes[0] * sizes[1] <= most:
            yield sizes


@frozen
class _Trial:
    """What parts of an action read in one state, the values of which are given."""

    action: Instance
    proxy: type[StateProxy]
    values: Sequence[object]

    def read_by(self, part: PartByItems) -> tuple[int, Sequence[int]]:
        """How many columns a part reads, and how many parts its items would fill."""
        reader, choice = NotingReader(self.values), part.choice
        state = part.seen(self.proxy(reader))
        with suppress(Exception, NoMoreSteps, QuestionRaised):
            for _ in choice.run(self.action, state):
                pass
        return len(reader.columns), choice.lengths
