"""What tests of actions that are learned item by item share."""

from __future__ import annotations

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
from replicheck.explorer.report import Report
from replicheck.model.protocol import Action

SIZES = st.sampled_from([(3, 1), (1, 3), (2, 2), (3, 3), (5, 2)])
"""Parts by outer loops and by inner ones, more and fewer than these have items."""


def loops_of(action: Action) -> tuple[ItemLoop, ...]:
    """The loops over items of an action, whichever cells it has."""
    return item_loops(cast(Any, action).__code__, frozenset())


@contextmanager
def item_by_item(sizes: Sizes) -> Iterator[list[Learner]]:
    """Each action with loops over items is learned for parts, whatever that spares.

    Yields:
        the learners, in which it is, of searches that come.
    """
    learners: list[Learner] = []

    def wanted(learner: Learner, action: str) -> Sizes | None:
        learners.append(learner)
        instance, _ = learner.effort[action].widest
        sets = sets_in(learner.layout.plain, learner.starts[0])
        has_loops = loops_over_items(learner.functions[instance], sets)
        return sizes if has_loops else None

    with (
        patch.object(encoding_watch, "MOST_RUNS", 0),
        patch.object(item_sizes, "sizes_that_spare", wanted),
    ):
        yield learners


def runs_of(report: Report[Any], action: str) -> int:
    """How often the function of an action ran."""
    assert report.statistics.breadth_first is not None
    return report.statistics.breadth_first.functions[action].runs
