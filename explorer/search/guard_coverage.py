"""Guards: what turned an action down, counted in a sample of the states.

The questions of an action's tree are its guards. In each sampled state each instance
is walked to its end: every question on the way was *asked*, and the one whose answer
disabled the action *turned it down*. The sample are the states with the least
fingerprints, which is a random choice that any two runs agree on; a search of fewer
states is counted whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning.batch_walk import walk
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import (
    CONSTRAINED,
    DISABLED,
    REPORTED,
    Indices,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.properties import Property
from replicheck.explorer.proxies.calls import AFTER, EQUALS, UNCHANGED_BY
from replicheck.explorer.statistics import GuardCount, GuardCoverage
from replicheck.explorer.tables.lookups import Lookup

Rows = npt.NDArray[Any]
SampleContent = tuple[Rows | None, U64Array]
"""The states of a sample, by rows and fingerprints."""

OF_ITEM = ".__contains__(…)"
"""What is asked of a set that is split."""
SAMPLED = 1024
"""States of a sample."""


class Sample:
    """The expanded states with the least fingerprints."""

    def __init__(self, size: int = SAMPLED) -> None:
        self.size = size
        self.rows: Rows | None = None
        self._fingerprints: U64Array = np.zeros(0, np.uint64)

    def __len__(self) -> int:
        """The number of states in it."""
        return len(self._fingerprints)

    @property
    def bound(self) -> int:
        """The greatest fingerprint that a state of the sample can have."""
        full = len(self) >= self.size
        return int(self._fingerprints.max()) if full else (1 << 64) - 1

    @property
    def content(self) -> SampleContent:
        """Counts in the form that `restore` takes."""
        return self.rows, self._fingerprints

    def restore(self, content: SampleContent) -> None:
        """Hold what another sample held."""
        self.rows, self._fingerprints = content

    def add(
        self,
        rows: Rows | RowView,
        fingerprints: U64Array,
        constrained: npt.NDArray[np.uint8],
    ) -> None:
        """Take of a level, sorted by fingerprint, the states that were expanded."""
        end = int(np.searchsorted(fingerprints, np.uint64(self.bound), side="right"))
        chosen = np.flatnonzero(constrained[:end] == 0)[: self.size]
        if self.rows is None:
            self.rows = rows[chosen].astype(np.int64)
            self._fingerprints = fingerprints[chosen].copy()
            return
        both = np.concatenate([self._fingerprints, fingerprints[chosen]])
        # A level that was at work when a search was cut is expanded, and added, again.
        order = np.argsort(both, kind="stable")
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = both[order][1:] != both[order][:-1]
        least = order[is_first][: self.size]
        self.rows = np.concatenate([self.rows, rows[chosen]])[least]
        self._fingerprints = both[least]


def checked_guards(learner: Learner, sample: Sample) -> GuardCoverage:
    """The guards, of no state where memory has run out.

    Before they are counted, functions are run again in the sampled states.

    Raises:
        ModelError: if one differs, or an instance was left out that is enabled.
    """
    try:
        if sample.rows is not None:
            learner.check_again(sample.rows)
        return count_guards(learner, sample)
    except MemoryError:
        return count_guards(learner, Sample())


def count_guards(learner: Learner, sample: Sample) -> GuardCoverage:
    """The guards of each action, and of how many states that was counted."""
    actions: dict[str, list[int]] = {}
    for number, function in enumerate(learner.functions):
        if function.role is Role.ACTION:
            actions.setdefault(function.instance.name, []).append(number)
    guards: dict[str, dict[str, GuardCount]] = {name: {} for name in actions}
    if sample.rows is not None:
        for name, instances in actions.items():
            guards[name] = _guards(learner, instances, sample.rows)
    return GuardCoverage(len(sample), guards)


def count_cuts(learner: Learner, rows: Rows) -> Counter[str]:
    """Number of the states that each constraint cuts."""
    cuts: dict[str, list[Indices]] = {}
    for number, function in enumerate(learner.functions):
        if function.role is Role.CONSTRAINT:
            told = cuts.setdefault(function.instance.name, [])
            told.append(_told(learner, number, rows))
    return Counter(
        {
            name: len(indices)
            for name, told in cuts.items()
            if len(indices := np.unique(np.concatenate(told)))
        }
    )


def told_places(learner: Learner, claim: Property, rows: Rows) -> Indices:
    """The places of the states of which an instance has something to note."""
    told = [
        _told(learner, number, rows)
        for number, function in enumerate(learner.functions)
        if function.property == claim
    ]
    return np.unique(np.concatenate([np.empty(0, np.intp), *told]))


def _told(learner: Learner, instance: int, rows: Rows) -> Indices:
    """Places where a constraint cuts, or a predicate has something to note."""
    states = np.arange(len(rows))
    codes, _ = walk(learner, np.full(len(rows), instance), rows, states)
    leaves = learner.tables.trees.leaves.array
    return np.flatnonzero(
        (codes != DISABLED) & np.isin(leaves[-codes], (CONSTRAINED, REPORTED))
    )


def _guards(
    learner: Learner, instances: Sequence[int], rows: Rows
) -> dict[str, GuardCount]:
    """Count of each guard: how often it was asked, and disabled the action."""
    states = np.arange(len(instances) * len(rows)) % len(rows)
    _, questions = walk(learner, np.repeat(instances, len(rows)), rows, states)
    guards: dict[str, GuardCount] = {}
    count = len(learner.tables.queries)
    for question in questions:
        asked = np.bincount(question.queries, minlength=count)
        refused = np.bincount(question.queries[question.are_disabling], minlength=count)
        for query in np.flatnonzero(asked).tolist():
            column, lookup = learner.tables.queries[query]
            field = learner.layout.cells[column].field
            is_split = field in learner.layout.set_encodings
            name = field + (OF_ITEM if is_split else _question(lookup))
            before = guards.get(name, GuardCount(0, 0))
            guards[name] = GuardCount(
                before.asked + int(asked[query]), before.refused + int(refused[query])
            )
    return guards


def _question(lookup: Lookup) -> str:
    """Question that is asked of a cell, without its arguments."""
    ((name, arguments),) = lookup.calls
    if name in (EQUALS, UNCHANGED_BY):
        return " is unchanged"
    if name == AFTER:
        _, (name, arguments) = arguments
    return f".{name}(…)" if arguments else f".{name}" * bool(name)
