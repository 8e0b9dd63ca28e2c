"""What tests of actions that are learned item by item share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest.mock import patch

from hypothesis import strategies as st

from replicheck.explorer.learning import encoding_watch
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts import item_sizes
from replicheck.explorer.learning.parts.item_parts import Sizes, loops_over_items
from replicheck.explorer.learning.parts.parted_functions import sets_in
from replicheck.explorer.proxies.items.item_loops import ItemLoop, item_loops
from replicheck.model.protocol import Action

SIZES = st.sampled_from([(3, 1), (1, 3), (2, 2), (3, 3), (5, 2)])
"""Parts by outer loops and by inner ones, more and fewer than these have items."""


def loops_of(action: Action) -> tuple[ItemLoop, ...]:
    """The loops over items of an action, whichever cells it has."""
    return item_loops(cast(Any, action).__code__)


@contextmanager
def item_by_item(sizes: Sizes) -> Iterator[set[str]]:
    """Each action with loops over items is learned for parts, whatever that spares.

    Yields:
        the names of those that were, in searches that come.
    """
    parted: set[str] = set()

    def wanted(learner: Learner, action: str) -> Sizes | None:
        instance, _ = learner.effort[action].widest
        sets = sets_in(learner.layout.plain, learner.starts[0])
        if not loops_over_items(learner.functions[instance], sets):
            return None
        parted.add(action)
        return sizes

    with (
        patch.multiple(encoding_watch, MOST_RUNS=0, SELDOM=sys.maxsize),
        patch.object(item_sizes, "sizes_that_spare", wanted),
    ):
        yield parted
