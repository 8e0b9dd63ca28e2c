"""Guards: what turned an action down, counted in a sample of the states.

The questions of an action's tree are its guards. In each sampled state each instance
is walked to its end: every question on the way was *asked*, and the one whose answer
disabled the action *turned it down*. The sample are the states with the least
fingerprints, which is a random choice that any two runs agree on; a search of fewer
states is counted whole.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field

from replicheck.explorer.arrays import ASKED, CUT, DISABLED, NOTED, UNKNOWN
from replicheck.explorer.functions import Role
from replicheck.explorer.learning import Learner
from replicheck.explorer.lookups import Lookup
from replicheck.explorer.properties import Property
from replicheck.explorer.standing import AFTER, EQUALS, UNCHANGED_BY

Rows = npt.NDArray[Any]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

SAMPLED = 1024
"""States of a sample."""


class Sample:
    """The expanded states with the least fingerprints."""

    def __init__(self, size: int = SAMPLED) -> None:
        self.size = size
        self.rows: Rows | None = None
        self._prints: Words = np.zeros(0, np.uint64)

    def __len__(self) -> int:
        """Return the number of states in it."""
        return len(self._prints)

    @property
    def bound(self) -> int:
        """Return the greatest fingerprint that a state of the sample can have."""
        full = len(self) >= self.size
        return int(self._prints.max()) if full else (1 << 64) - 1

    def add(self, rows: Rows, prints: Words, cut: npt.NDArray[np.uint8]) -> None:
        """Take of a level, sorted by fingerprint, the states that were expanded."""
        end = int(np.searchsorted(prints, np.uint64(self.bound), side="right"))
        chosen = np.flatnonzero(cut[:end] == 0)[: self.size]
        if self.rows is None:
            self.rows = rows[chosen].astype(np.int64)
            self._prints = prints[chosen].copy()
            return
        both = np.concatenate([self._prints, prints[chosen]])
        least = np.argsort(both, kind="stable")[: self.size]
        self.rows = np.concatenate([self.rows, rows[chosen]])[least]
        self._prints = both[least]


@define
class _Tally:
    asked: Counter[str] = field(factory=Counter)
    refused: Counter[str] = field(factory=Counter)
    told: list[Places] = field(factory=list)
    """Where a constraint cuts, or a predicate has something to note."""


def count_guards(learner: Learner, sample: Sample) -> dict[str, Any]:
    """Return for each action its guards, and of how many states that was counted."""
    tallies: dict[str, _Tally] = {}
    if sample.rows is not None:
        for number, learnt in enumerate(learner.functions):
            if learnt.role is Role.ACTION:
                tally = tallies.setdefault(learnt.instance.name, _Tally())
                _Walk(learner, number, sample.rows, tally).start()
    return {
        "sampled": len(sample),
        "actions": {
            action: {
                guard: {"asked": asked, "refused": tally.refused[guard]}
                for guard, asked in tally.asked.items()
            }
            for action, tally in tallies.items()
        },
    }


def count_cuts(learner: Learner, rows: Rows) -> Counter[str]:
    """Return how many of the states each constraint cuts."""
    told: dict[str, _Tally] = {}
    for number, learnt in enumerate(learner.functions):
        if learnt.role is Role.CONSTRAINT:
            tally = told.setdefault(learnt.instance.name, _Tally())
            _Walk(learner, number, rows, tally).start()
    return Counter(
        {
            name: len(np.unique(np.concatenate(tally.told)))
            for name, tally in told.items()
            if tally.told
        }
    )


def told_places(learner: Learner, claim: Property, rows: Rows) -> Places:
    """Return the places of the states of which a clause has something to note."""
    tally = _Tally()
    for number, learnt in enumerate(learner.functions):
        if learnt.property == claim:
            _Walk(learner, number, rows, tally).start()
    return np.unique(np.concatenate([np.empty(0, np.intp), *tally.told]))


@define
class _Walk:
    """A walk of one instance's tree in many states; paths that are missed are learned.

    The question of a node is a guard; ``tally`` is that of the whole action.
    """

    learner: Learner
    instance: int
    rows: Rows
    tally: _Tally

    def start(self) -> None:
        """Walk in every state."""
        places = np.arange(len(self.rows))
        if len(places):
            if self._root in (0, ASKED):
                self._learn(places[0])
            self._descend(self._root, places)

    @property
    def _root(self) -> int:
        return int(self.learner.tables.trees.roots[self.instance])

    def _learn(self, place: Any) -> None:
        self.learner.learn(self.instance, self.rows[place].tolist())

    def _descend(self, at: int, places: Places) -> None:
        """Count what becomes of the states at some places from a node on."""
        tables = self.learner.tables
        if at <= 0:
            if at != DISABLED and tables.trees.leaf(at)[0] in (CUT, NOTED):
                self.tally.told.append(places)
            return
        column, lookup = tables.views[tables.trees.node_views[at]]
        guard = f"{self.learner.layout.cells[column].field}{_question(lookup)}"
        answers = self._answers(column, lookup, places)
        for answer in np.flatnonzero(np.bincount(answers[answers >= 0])).tolist():
            there = places[answers == answer]
            child = self._child(at, answer, there)
            self.tally.asked[guard] += len(there)
            self.tally.refused[guard] += len(there) * (child == DISABLED)
            self._descend(child, there)

    def _answers(self, column: int, lookup: Lookup, places: Places) -> Rows:
        while True:
            lookup.fit()
            answers: Rows = lookup.known[self.rows[places, column]]
            unknown = np.flatnonzero(answers == UNKNOWN)
            if not len(unknown):
                return answers
            self._learn(places[unknown[0]])

    def _child(self, at: int, answer: int, there: Places) -> int:
        for _ in range(2):
            child = self.learner.tables.trees.child(at, answer)
            if child not in (0, ASKED):
                break
            self._learn(there[0])
        return child


def _question(lookup: Lookup) -> str:
    """Return what is asked of a cell, without its arguments."""
    ((name, arguments),) = lookup.calls
    if name in (EQUALS, UNCHANGED_BY):
        return " is unchanged"
    if name == AFTER:
        _, (name, arguments) = arguments
    return f".{name}(…)" if arguments else f".{name}" * bool(name)
