"""Tree values: the learned decision trees as values, for another language.

`tables` lays the trees out for kernels; here a tree is a `Question` with a subtree for
each answer, down to what comes of it. Only answers that can come are in it: after "is
it empty?" was answered with yes, "has it a first element?" has one answer left.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import (
    DISABLED,
    REQUESTED,
    UNKNOWN,
    Numbers,
)
from replicheck.explorer.tables.lookups import Lookup
from replicheck.explorer.tables.tables import Tables

Possible = Mapping[int, npt.NDArray[np.bool_]]
"""For each column that was asked about, which values the answers leave."""


class End(Enum):
    """What comes of an instance where it takes no step."""

    NOTHING = "the action is disabled; the predicate says nothing"
    REPORTED = "the predicate reports a violation, or a constraint keeps the state"
    UNMET = "no state that was expanded came here"


@frozen
class Write:
    """What a step does to one cell: a value's number, or an operation on its value."""

    column: int
    value: int | None
    operation: Lookup | None


@frozen
class TreeStep:
    """One step: its writes, and the bit set of the step properties that it breaks."""

    writes: tuple[Write, ...]
    broken: int


Steps = tuple[TreeStep, ...]


@frozen
class Question:
    """What to ask of which cell, and what to do next by the number of the answer.

    The number `UNKNOWN` stands for values of which the question was never asked.
    """

    column: int
    lookup: Lookup
    branches: Mapping[int, Any]


Tree = Question | Steps | End


def tree_of(tables: Tables, instance: int) -> Tree:
    """The tree of an instance whose function did not raise."""
    return _tree(tables, int(tables.trees.roots[instance]), {})


def answers(lookup: Lookup) -> Numbers:
    """Answer or result for each value of the dictionary, `UNKNOWN` where none is."""
    lookup.fit()
    known = lookup.known[: len(lookup.dictionary)]
    return np.where(known < 0, UNKNOWN, known)


def _tree(tables: Tables, at: int, possible: Possible) -> Tree:
    if at <= 0:
        return _end(tables, at)
    column, view, children = tables.trees.node(at)
    lookup = tables.queries[view][1]
    given = answers(lookup)
    left = possible.get(column, np.ones(len(given), np.bool_))
    branches = {}
    for answer in np.unique(given[left]).tolist():
        known = 0 <= answer < len(children)
        child = int(children[answer]) if known else 0
        remaining = {**possible, column: left & (given == answer)}
        branches[answer] = _tree(tables, child, remaining)
    return Question(column, lookup, branches)


def _end(tables: Tables, code: int) -> Tree:
    if code == DISABLED:
        return End.NOTHING
    if code in (0, REQUESTED):
        return End.UNMET
    leaf = tables.trees.leaf(code)
    count = int(leaf[0])
    if count < 0:
        return End.REPORTED
    steps, at = [], 1
    for _ in range(count):
        end = at + 3 + 2 * int(leaf[at + 2])
        writes = leaf[at + 3 : end].reshape(-1, 2).tolist()
        step = TreeStep(
            tuple(_write(tables, *write) for write in writes), int(leaf[at + 1])
        )
        steps.append(step)
        at = end
    return tuple(steps)


def _write(tables: Tables, column: int, code: int) -> Write:
    if code >= 0:
        return Write(column, code, None)
    return Write(column, None, tables.operations[-1 - code])
