"""Tasks: the pieces of work on one level, each done by one process.

To **expand** some buckets of a level is to walk their states and to write what they
lead to, sorted, into one file; to **merge** a bucket is to make the next level of all
that was written for it, without what earlier levels have. A task reads immutable files
and writes files under new names. So it may be repeated, also twice at a time: what
counts is the result that the driver gets, and the files which that names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.engines.partitioned.exchange.learned_paths import Lesson
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    Numbers,
    Values,
)
from replicheck.explorer.engines.partitioned.store.store import Piece
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.learning.learner import SAMPLE
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.states.symmetry import Reduction

Words = npt.NDArray[np.uint64]


@frozen
class Setup:
    """A search as every process at work on it must know it.

    ``key`` is another one for each attempt at a search, so that a process that has
    worked on another does not mistake one for the other. ``states`` is where the
    reachable states go as Parquet, if anywhere.
    """

    key: str
    model: Model[Any]
    properties: Sequence[Property]
    store: str
    buckets: int
    sample: int = SAMPLE
    reduction: Reduction = Reduction.NONE
    states: str | None = None


@frozen
class Part:
    """One bucket of a level: its pieces, and how many states there are before it."""

    bucket: int
    start: int
    count: int
    states: Piece
    prints: Piece


@frozen(eq=False)
class Expand:
    """Expand neighbouring buckets.

    ``known`` are the files of what was agreed on so far. ``constraints``, ``wanted``
    and ``judged`` are bit sets of instances; ``finds`` is false where the level is only
    to be judged. States with fingerprints up to ``sampled`` may be in the sample of
    `guards`.
    """

    level: int
    parts: Sequence[Part]
    known: Sequence[Piece]
    constraints: Words
    wanted: Words
    judged: Words
    finds: bool
    finds_stuck: bool
    sampled: int


@frozen
class Written:
    """What an expansion wrote for one bucket."""

    bucket: int
    piece: Piece
    count: int


@frozen(eq=False)
class News:
    """What a process knows that not all know.

    ``bases`` is how many agreed numbers each domain has, ``fresh`` the values without
    one, ``lessons`` what it has learned, by the process's own numbers, ``premises``
    which ones it saw hold.
    """

    process: str
    bases: Sequence[int]
    fresh: Values
    lessons: Mapping[int, Lesson]
    premises: frozenset[str]


@frozen(eq=False)
class Sampled:
    """States of a level for the sample of `guards`, their rows in agreed numbers."""

    rows: npt.NDArray[np.integer[Any]]
    prints: Words
    cut: npt.NDArray[np.uint8]


@frozen(eq=False)
class Expanded:
    """What the expansion of some buckets came to.

    ``constraint_notes`` are those of the constraints alone, ``cuts`` how many states
    each of them cuts; ``seconds`` are CPU time, ``peak`` is the most bytes of memory
    that the process ever held.
    """

    expansion: Expansion
    constraint_notes: Words | None
    cuts: Counter[str]
    sampled: Sampled
    written: Sequence[Written]
    news: News
    seconds: float
    peak: int


@frozen
class Run:
    """Fingerprints of earlier levels, in ascending order."""

    piece: Piece
    count: int


@frozen(eq=False)
class Source:
    """What one expansion wrote for one bucket, and what its fresh numbers mean."""

    piece: Piece
    bases: Sequence[int]
    numbers: Sequence[Numbers]


@frozen(eq=False)
class Bucket:
    """A bucket to be merged: sources in the order of their states, and earlier runs."""

    bucket: int
    sources: Sequence[Source]
    runs: Sequence[Run]


@frozen(eq=False)
class Merge:
    """Merge some buckets into the level of this number."""

    level: int
    buckets: Sequence[Bucket]
    dtype: str


@frozen
class Merged:
    """What became of one bucket: its pieces of the level, if any, and its runs.

    ``parquet`` is the name of its file among the reachable states, if they are kept.
    """

    bucket: int
    count: int
    states: Piece | None
    prints: Piece | None
    path: Piece | None
    runs: Sequence[Run]
    parquet: str | None = None


@frozen
class MergedAll:
    """What became of the buckets of one task.

    ``seconds`` and ``peak`` as in `Expanded`.
    """

    buckets: Sequence[Merged]
    seconds: float
    peak: int


Task = Expand | Merge
Result = Any
"""`Expanded` or `MergedAll`."""
