"""What the compiled kernels and their callers share: numbers, and tuples of arrays.

`tables` draws what `Arrays` holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32]
U64Array = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.intp]
Fields = npt.NDArray[np.int64]

DISABLED = -1
REQUESTED = -(2**31)
REPORTED, RAISED, CONSTRAINED = -1, -2, -3
UNKNOWN, RAISES, SOUGHT = -1, -2, -3
COLUMN_BITS = 16
FIELD_BITS = 8
"""Bits of each number that tells where a field of a packed row is."""
BLOCK = 512
"""States whose trees are walked instance by instance."""
BLOCK_ROOM = BLOCK + 16
"""Numbers from one column of a block to the next: no power of two, by which caches
would put the same state of many columns in one place."""
PART_BITS = 7
PARTS = 1 << PART_BITS
BUCKET_BYTES = 64
"""Bytes of a bucket of the visited set: a cache line."""
SPARE_BUCKETS = 7
"""Buckets behind those that can be a home, for what these have no room for."""
WORD_BITS, WIDE_BITS, NARROW_BITS = 64, 48, 40
"""Widths of a slot of the visited set: of a whole fingerprint, and of what a bucket's
place does not tell of it."""
NOTE, FAILURE, BROKEN_STEP = 0, 1, 2
NOTHING_NOTED = np.uint64(2**64 - 1)
CANDIDATES, MISSED, TO_LEARN, TO_ANSWER, WALKS = range(5)
COUNTERS = 5
MOST_LENGTH = 1 << 6
"""Lengths of sequences that have a number with each frame of a `TreeArrays`."""
NO_STEP = -1
"""Instead of a choice: a walker takes no step."""
ENDED, LACKING, REPORTED_HERE, DEADLOCKED, CONSTRAINED_HERE, FORBIDDEN = range(6)
"""Why a walk along choices stops: they came to an end, tables lack something,
something was noted, no step is enabled, a constraint cuts the state, or there would
have to be one more fault."""
MOST_SEEN = 3
"""So far a census counts how often a state was seen."""


class Guards(NamedTuple):
    """What the values of single cells disable; `tables` draws it."""

    columns: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    classes: npt.NDArray[np.uint16]
    masks: U64Array


class Shortcuts(NamedTuple):
    """The trees as states of one level walk them: past questions that all answer alike.

    ``fixed[column]`` tells that a column has one value in the level. ``roots``,
    ``jumps`` and ``children`` are those of `Arrays` past the nodes that ask about such
    a column; where no column is fixed, they are the same arrays.
    """

    fixed: npt.NDArray[np.uint8]
    roots: Numbers
    jumps: Numbers
    children: Numbers


class Arrays(NamedTuple):
    """The learned tables."""

    roots: Numbers
    nodes: Numbers
    heads: U64Array
    grown: npt.NDArray[np.uint8]
    children: Numbers
    lookups: Numbers
    jumps: Numbers
    operations: Numbers
    leaves: Numbers
    first: npt.NDArray[np.int64]
    words: U64Array
    guards: Guards
    readers: U64Array
    shortcuts: Shortcuts


class PackedRows(NamedTuple):
    """The numbers of values of some states, as bits.

    ``words[i]`` are those of state ``i``. ``fields[column]`` says where the number of a
    column is: the word, the shift and how many bits, each in so many bits as
    `FIELD_BITS`.
    """

    words: U64Array
    fields: Fields


class DisabledBits(NamedTuple):
    """Where the bits of `Level.disabled` are.

    That of an instance is bit ``places[instance] & 63`` of word
    ``places[instance] >> 6``; it has none if the place is negative. ``runs[i]`` are
    neighbours that are so again elsewhere: (word and lowest bit in a bit set of all
    instances, word and lowest bit in `Level.disabled`, as many ones as there are bits).
    """

    places: Numbers
    runs: U64Array


class Level(NamedTuple):
    """The states of one level, in the order of their fingerprints.

    ``rows`` and ``fingerprints[i]``; ``disabled[i, word]`` has the ``bits`` of
    instances that are known to be disabled in state ``i``; ``constrained[i]`` tells
    that a constraint keeps the state from being expanded.
    """

    rows: PackedRows
    fingerprints: U64Array
    disabled: U64Array
    constrained: npt.NDArray[np.uint8]
    bits: DisabledBits

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays that have an entry for each state."""
        return self.rows.words, self.fingerprints, self.disabled, self.constrained

    @property
    def size(self) -> int:
        """The bytes that these take."""
        return sum(array.nbytes for array in self.arrays)

    def with_arrays(self, arrays: Iterable[npt.NDArray[Any]]) -> Level:
        """The level of other states, whose rows have the same fields."""
        words, fingerprints, disabled, constrained = arrays
        rows = PackedRows(words, self.rows.fields)
        return Level(rows, fingerprints, disabled, constrained, self.bits)


class ChunkArrays(NamedTuple):
    """What one thread writes while it expands a stretch of a level.

    A **candidate** is one step: the fingerprint it leads to, the state it comes from,
    and its place in `Arrays.leaves`. ``missed`` are pairs of state and instance to
    which the tables have no answer, each with the code of a leaf to take, or 0;
    ``learn`` are those whose functions run, ``answers`` places of `Arrays.lookups`.
    ``disabled[instance]`` counts the walks that found it disabled. ``notes[kind,
    instance]`` is the least fingerprint of a state where a predicate is noted (NOTE),
    the function raises (FAILURE), or a step breaks ``kind - BROKEN_STEP``.
    """

    fingerprints: U64Array
    sources: npt.NDArray[np.uint32]
    indices: Numbers
    missed_states: npt.NDArray[np.uint32]
    missed_instances: Numbers
    missed_leaves: Numbers
    learn_states: npt.NDArray[np.uint32]
    learn_instances: Numbers
    answers: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]
    generated: npt.NDArray[np.int64]
    enabled: npt.NDArray[np.int64]
    disabled: npt.NDArray[np.int64]
    notes: U64Array


class Scratch(NamedTuple):
    """Room that `expand` works in: a block of states, and its lists by instance.

    ``values[column, i]`` is the number of its state ``i`` there, ``live[word, i]`` are
    the instances that are walked in it, ``known[word, i]`` are its words of
    `Level.disabled`, ``bases[i, p]`` is its fingerprint under renaming ``p``, and
    ``bases[BLOCK, p]`` that of the state to which a step leads. ``lists[instance]``
    holds ``filled[instance]`` states of the block; ``results``, ``walking`` and
    ``spots`` are one walk's, ``starts`` those of a sort, which works in ``filled``,
    too, ``transposed`` the words of packed rows.
    """

    transposed: U64Array
    values: npt.NDArray[np.uint32]
    lists: npt.NDArray[np.uint16]
    filled: npt.NDArray[np.int64]
    bases: U64Array
    results: Numbers
    walking: npt.NDArray[np.uint16]
    spots: npt.NDArray[np.int64]
    live: U64Array
    known: U64Array
    constant: U64Array
    starts: npt.NDArray[np.int64]


class Candidates(NamedTuple):
    """The candidates of a round by part: ``begins[part]`` up to ``ends[part]``."""

    fingerprints: U64Array
    sources: npt.NDArray[np.uint32]
    indices: Numbers
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class Slots(NamedTuple):
    """For each part the address and the size of its hash table, and how full it is.

    ``widths`` are the bits of a slot; ``sizes`` count slots of 64 bits, or buckets of
    narrower ones. ``homeless[part]`` is a fingerprint that has no place, or 0.
    """

    addresses: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    widths: npt.NDArray[np.int64]
    taken: npt.NDArray[np.int64]
    homeless: U64Array


class Found(NamedTuple):
    """The new states by part, each part with the same room, ``counts[part]`` of them.

    Only how to come to them: ``sources[i]`` is a place in the level that is expanded,
    ``indices[i]`` that of a step in `Arrays.leaves`.
    """

    fingerprints: U64Array
    sources: npt.NDArray[np.uint32]
    indices: Numbers
    counts: npt.NDArray[np.int64]


class WalkerArrays(NamedTuple):
    """Walkers, each in the state of a level that has its place.

    ``walks`` are the numbers of their walks, ``depths`` how many steps they took, and
    ``history[walker]`` the numbers of these; ``horizons`` are about how many steps they
    can take; ``memory`` is what a strategy remembers; ``picked`` their choices.
    """

    walks: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int64]
    horizons: npt.NDArray[np.int64]
    history: Numbers
    memory: Numbers
    picked: npt.NDArray[np.int64]


class Leanings(NamedTuple):
    """What decides between steps, by the number of each step.

    ``keys`` name them, where ``is_by_change`` together with what changes. ``kinds`` are
    those of their actions, ``shifts`` the logarithms of their weights. ``numbers`` are
    a salt, and whether kinds are weighed, not steps.
    """

    keys: npt.NDArray[np.int64]
    is_by_change: npt.NDArray[np.uint8]
    kinds: Numbers
    shifts: npt.NDArray[np.uint8]
    is_fault: npt.NDArray[np.uint8]
    numbers: npt.NDArray[np.int64]


class Footsteps(NamedTuple):
    """One walk: its choices, the numbers of the steps it took, and where it was.

    ``fingerprints`` are of the states to which they led. ``counts`` are the choices
    that were used, the steps that were taken, and the faults that may still be.
    """

    choices: npt.NDArray[np.uint8]
    steps: Numbers
    fingerprints: U64Array
    counts: npt.NDArray[np.int64]


class Known(NamedTuple):
    """The keys of the states in `Slots`, and room for one that is compared.

    ``addresses`` is where each part's keys are, so many words for each slot as
    ``mine`` has; ``is_exact`` has one element if they are whole rows, else none.
    """

    addresses: npt.NDArray[np.int64]
    row: U64Array
    mine: U64Array
    is_exact: npt.NDArray[np.uint8]
