"""Messages: the tasks of a level, and their results.

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

from replicheck.explorer.engines.partitioned.exchange.element_numbering import (
    NewElements,
)
from replicheck.explorer.engines.partitioned.exchange.learned_paths import LearnedPath
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    Numbers,
    Values,
)
from replicheck.explorer.engines.partitioned.store.store import Piece
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learner import SAMPLE
from replicheck.explorer.model import Model
from replicheck.explorer.native.kernels.arrays import Fields, U64Array
from replicheck.explorer.properties import Property
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.states.encoding import AT_FIRST, Encoding
from replicheck.explorer.states.symmetry import Reduction


@frozen
class SearchSpec:
    """A search as every process at work on it must know it.

    ``key`` is another one for each attempt at a search, so that a process that has
    worked on another does not mistake one for the other. ``states`` is where the
    reachable states go as Parquet, if anywhere, ``encoding`` is how cells are learned.
    """

    key: str
    model: Model[Any]
    properties: Sequence[Property]
    store: str
    buckets: int
    sample: int = SAMPLE
    reduction: Reduction = Reduction.NONE
    states: str | None = None
    fingerprints: KeyPrecision = KeyPrecision.BITS_64
    encoding: Encoding = AT_FIRST


@frozen
class Part:
    """One bucket of a level: its pieces, and how many states there are before it."""

    bucket: int
    start: int
    count: int
    states: Piece
    fingerprints: Piece


@frozen(eq=False)
class Expand:
    """Expand neighbouring buckets.

    ``known`` are the files of what was agreed on so far. ``places`` are those of the
    bits that what is found has, as in `arrays.DisabledBits`. ``constraints``,
    ``wanted`` and ``judged`` are bit sets of instances; ``finds`` is false where the
    level is only to be judged. States with fingerprints up to ``sampled`` may be in the
    sample of `guards`. ``visited`` are for each bucket the runs of all levels up to
    this one, where steps are to be left out; None where all are taken. ``optional`` are
    the names of the claims that may then be missed.
    """

    level: int
    parts: Sequence[Part]
    known: Sequence[Piece]
    places: npt.NDArray[np.int32]
    constraints: U64Array
    wanted: U64Array
    judged: U64Array
    finds: bool
    finds_stuck: bool
    sampled: int
    visited: Sequence[Sequence[Piece]] | None = None
    optional: frozenset[str] = frozenset()


@frozen
class Written:
    """What an expansion wrote for one bucket."""

    bucket: int
    piece: Piece
    count: int


@frozen(eq=False)
class WorkerUpdate:
    """Worker update: what a process knows that not all know.

    ``offsets`` is how many global numbers each dictionary has, ``unnumbered`` the
    values without one, ``elements`` those of split sets without agreed places,
    ``paths`` what it has learned, by its own numbers, ``premises`` which ones it saw
    hold. ``learns_alone`` tells whether it reads in another order than others, and so
    learns some instances by itself.
    """

    worker: str
    offsets: Sequence[int]
    unnumbered: Values
    elements: NewElements
    paths: Mapping[int, LearnedPath]
    premises: frozenset[str]
    learns_alone: bool = False


@frozen(eq=False)
class SampledStates:
    """States of a level for the sample of `guards`, their rows in agreed numbers."""

    rows: npt.NDArray[np.integer[Any]]
    fingerprints: U64Array
    constrained: npt.NDArray[np.uint8]


@frozen(eq=False)
class Expanded:
    """What the expansion of some buckets came to.

    ``constraint_notes`` are those of the constraints alone, ``cuts`` how many states
    each of them cuts; ``selected`` counts the steps that were left out; ``seconds`` are
    CPU time, ``peak`` is the most bytes of memory that the process ever held.
    """

    expansion: Expansion
    constraint_notes: U64Array | None
    cuts: Counter[str]
    sampled: SampledStates
    selected: SelectionCounts
    written: Sequence[Written]
    update: WorkerUpdate
    seconds: float
    peak: int


@frozen
class SortedRun:
    """The file of a run: what tells states of earlier levels apart, as `Marks`."""

    piece: Piece
    count: int


@frozen(eq=False)
class Source:
    """Output of one expansion for one bucket, and what its unnumbered values mean."""

    piece: Piece
    offsets: Sequence[int]
    numbers: Sequence[Numbers]


@frozen(eq=False)
class Bucket:
    """A bucket to be merged: sources in the order of their states, and earlier runs."""

    bucket: int
    sources: Sequence[Source]
    runs: Sequence[SortedRun]


@frozen(eq=False)
class Merge:
    """Merge some buckets into the level of this number.

    Its rows have these ``fields``, and its bits these ``places``.
    """

    level: int
    buckets: Sequence[Bucket]
    fields: Fields
    places: npt.NDArray[np.int32]


@frozen
class Merged:
    """What became of one bucket: its pieces of the level, if any, and its runs.

    ``parquet`` is the name of its file among the reachable states, if they are kept.
    """

    bucket: int
    count: int
    states: Piece | None
    fingerprints: Piece | None
    path: Piece | None
    runs: Sequence[SortedRun]
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
