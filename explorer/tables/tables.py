"""The learned tables: decision trees over small numbers, laid out for the kernels.

For one state, a **row** holds the number of each cell's value. A **query** answers one
question about one cell ("does log 2 have offset 1?"): its table maps the number of a
value to the number of an answer. An **operation** maps the number of a value to the
number of the value that it turns into. Views and operations are *lookups*, segments of
one array. A **tree** per instance says what to ask next, given the answers so far::

    roots[instance] ─> node ──answer──> node ──answer──> leaf
                        │                │
    nodes[node] = (column, start of the query's lookup, start of the children, room)
    answer      = lookups[start of lookup + row[column]]
    child       = children[start of children + answer]       if answer < room
                  > 0  a node      0  not learned      REQUESTED  asked for, not learned
                  DISABLED  no step; the predicate is undecided by this state
                  other     -offset of a leaf in `leaves`

    leaves[offset] = number of steps, then for each step:
                       step number, bit set of broken step properties, number of writes,
                       (column, value number  or  -1 - operation) for each write
                     or REPORTED: a predicate has a violation or a reached witness to
                     report, RAISED: the function raised, CONSTRAINED: a constraint
                     keeps the state from being expanded

    heads[node] = start of the jumps, or 0 for none, << COLUMN_BITS | column
    jumps[start of jumps + row[column]]
                   = the first node below that asks about another column, or the leaf:
                     a shortcut past all questions about one cell; 0 until a kernel has
                     gone the long way; `LevelShortcuts` may copy them for a level
    lookups[...]   = UNKNOWN until known, SOUGHT once asked for; RAISES where an
                     operation raised (a query that raised has a number for that)

    words[(first[column] + number) * permutations + permutation]
                   = what the cell adds to the fingerprint
    guards.classes[first[column] + number]
                   = class of a value, by what it disables; 0 where nothing is known
    guards.columns[i] = (column, first[column], first and last + 1 of its words)
    guards.words[i]   = (word, start of its masks)
    guards.masks[start of the masks + class]
                   = bit set of the instances that a value alone does not disable
    readers[column, word] = bit set of the instances that ever read the column

Numbers of values, queries and operations grow while a search goes on. When a dictionary
outgrows its capacity, everything is laid out anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.model import Symmetry
from replicheck.explorer.native.disabled_bits import bits_of_all
from replicheck.explorer.native.kernels.arrays import (
    COLUMN_BITS,
    Arrays,
    Indices,
    Numbers,
    U64Array,
)
from replicheck.explorer.proxies.calls import Call
from replicheck.explorer.runtime.memory.growable_array import GrowableArray
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.tables.decision_trees import DecisionTrees
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.enabling_masks import EnablingMasks
from replicheck.explorer.tables.lookups import Lookup
from replicheck.explorer.tables.zobrist import ZobristWords

NUMBER, WORD, CLASS = 4, 8, 2
"""Bytes of a number of `lookups`, of a word of `words`, and of a class of `guards`."""
MOST_JUMPS = 512
"""The largest capacity of a dictionary for which nodes have jumps."""


class Tables:
    """Everything that was learned, written by `Learner` and read by the kernels."""

    def __init__(
        self,
        layout: Layout,
        dictionaries: Sequence[Dictionary],
        symmetries: Sequence[Symmetry],
        instances: int,
    ) -> None:
        self.layout = layout
        self.dictionaries = tuple(dictionaries)
        self.width = (instances + 63) // 64
        self.bits_of_all = bits_of_all(instances)
        self.permutations = 1 + len(symmetries)
        self.queries: list[tuple[int, Lookup]] = []
        self.operations: list[Lookup] = []
        self.trees = DecisionTrees(self.queries, instances, len(layout.cells))
        self._lookups: dict[tuple[int, tuple[Call, ...]], Lookup] = {}
        self._query_numbers: dict[tuple[int, Call], int] = {}
        self._operation_numbers: dict[tuple[int, tuple[Call, ...]], int] = {}
        self._heads: U64Array = np.zeros(0, np.uint64)
        self._nodes_seen = self._heads_seen = self._nodes_placed = 0
        self._grown_marks = np.zeros(0, np.uint8)
        self._cell_words = ZobristWords(layout, self.dictionaries, symmetries)
        self.masks = EnablingMasks(self.dictionaries, self.width)
        self._unplaced: list[Lookup] = []
        self.require_room: Callable[[int], None] = lambda size: None
        """Is told before the tables take so many bytes more; may raise."""
        self.layouts = 0
        """So many times everything was laid out; then there are no masks."""
        self.lay_out()

    def query(self, column: int, call: Call) -> int:
        """The number of the query that asks this of a column."""
        number = self._query_numbers.get((column, call))
        if number is None:
            lookup = self._lookup(column, (call,), is_operation=False)
            number = len(self.queries)
            self.queries.append((column, lookup))
            self._query_numbers[column, call] = number
        return number

    def operation(self, column: int, calls: tuple[Call, ...]) -> int:
        """The number of the operation that applies these calls to a column."""
        dictionary = self.dictionaries[column]
        number = self._operation_numbers.get((id(dictionary), calls))
        if number is None:
            lookup = self._lookup(column, calls, is_operation=True)
            number = len(self.operations)
            self.operations.append(lookup)
            self._operation_numbers[id(dictionary), calls] = number
        return number

    def lookups_at(self, places: Indices) -> Iterator[tuple[Lookup, Indices]]:
        """Yield the lookups that have places of ``lookups``, with the values there."""
        in_order = np.sort(places)
        in_order = in_order[np.diff(in_order, prepend=-1) > 0]
        begins = np.searchsorted(in_order, self._starts)
        ends = np.append(begins[1:], len(in_order))
        for asked in np.flatnonzero(begins < ends).tolist():
            lookup = self._placed[asked]
            yield lookup, in_order[begins[asked] : ends[asked]] - lookup.start

    def learn_lookup(self, lookup: Lookup, value: int, answer: int) -> None:
        """Note what a lookup says of a value."""
        if value >= len(lookup.known):
            lookup.fit()
        lookup.known[value] = answer

    def learn_answers(
        self, lookup: Lookup, values: Indices, answers: Numbers | Sequence[int]
    ) -> None:
        """Note what a lookup says of several values."""
        lookup.fit()
        lookup.known[values] = answers

    def arrays(self) -> Arrays:
        """The tables for the kernels, brought up to date.

        The arrays stay valid until the next call; kernels write only marks into them.
        """
        if any(
            dictionary.capacity != capacity
            for dictionary, capacity in self._laid_out.items()
        ):
            self.lay_out()
        self._place_lookups()
        new = self.operations[self._operation_starts.used :]
        self._operation_starts.extend([operation.start for operation in new])
        self._place_jumps()
        self._cell_words.fill()
        self.masks.classify_new()
        trees = self.trees
        return Arrays(
            roots=trees.roots,
            nodes=trees.nodes.array,
            heads=self._heads,
            grown=self._grown(),
            children=trees.children.array,
            lookups=self._segments.array,
            jumps=self._jumps.array,
            operations=self._operation_starts.array,
            leaves=trees.leaves.array,
            first=self._first,
            words=self._cell_words.array,
            guards=self.masks.guards,
            readers=trees.readers,
            shortcuts=trees.without_shortcuts(self._jumps.array),
        )

    def forget(self, instances: Iterable[int]) -> None:
        """Forget what some instances do, and which values disable which instances."""
        self.trees.forget(instances)
        self.lay_out()

    def closed_queries(self) -> list[Lookup]:
        """Lookups of the closed questions."""
        return [lookup for lookup in self._lookups.values() if lookup.is_closed]

    @property
    def size(self) -> int:
        """The bytes that the arrays take."""
        trees = self.trees
        arrays = (
            *(trees.nodes.array, trees.children.array, trees.leaves.array),
            *(self._segments.array, self._cell_words.array),
        )
        return self.masks.size + sum(array.nbytes for array in arrays)

    def _lookup(
        self, column: int, calls: tuple[Call, ...], *, is_operation: bool
    ) -> Lookup:
        """The lookup that all columns of a dictionary share."""
        dictionary = self.dictionaries[column]
        key = (id(dictionary), calls)
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = Lookup(dictionary, calls, is_operation=is_operation)
            self._lookups[key] = lookup
            self._unplaced.append(lookup)
        return lookup

    def _grown(self) -> npt.NDArray[np.uint8]:
        nodes = self.trees.nodes
        if len(self._grown_marks) < nodes.used:
            self._grown_marks = np.zeros(len(nodes.array), np.uint8)
        else:
            self._grown_marks[:] = 0
        return self._grown_marks

    def _place_jumps(self) -> None:
        """Give new heads room for their jumps, unless the dictionary is too large."""
        trees, columns = self.trees, self.trees.nodes.array[:, 0]
        if len(self._heads) < len(columns):
            more = np.zeros(len(columns) - len(self._heads), np.uint64)
            self._heads = np.concatenate([self._heads, more])
        new = slice(self._nodes_seen, trees.nodes.used)
        self._heads[new] = columns[new]
        heads = np.array(trees.heads[self._heads_seen :], np.int64)
        asked = columns[heads]
        sizes = self._first[asked + 1] - self._first[asked]
        sizes[sizes > MOST_JUMPS] = 0
        ends = self._jumps.take(int(sizes.sum())) + sizes.cumsum()
        self._heads[heads] = np.where(sizes, ends - sizes, 0) << COLUMN_BITS | asked
        self._nodes_seen, self._heads_seen = trees.nodes.used, len(trees.heads)

    def lay_out(self) -> None:
        """Give every lookup and every column a place that fits its dictionary.

        What a lookup knows keeps the segments before until it has its new one.
        """
        capacities = [dictionary.capacity for dictionary in self.dictionaries]
        total = sum(capacities)
        room = sum(lookup.dictionary.capacity for lookup in self._lookups.values())
        of_values = self.permutations * WORD + CLASS
        self.require_room(total * of_values + room * NUMBER)
        self._laid_out = dict(zip(self.dictionaries, capacities, strict=True))
        self._first = np.concatenate([[0], np.cumsum(capacities)]).astype(np.int64)
        self.layouts += 1
        self._cell_words.lay_out(self._first)
        self.masks.lay_out(self._first)
        self._grown_marks = np.zeros(0, np.uint8)
        self._placed: list[Lookup] = []
        self._starts: list[int] = []
        self._segments = GrowableArray(max(1 << 12, room))
        self._operation_starts = GrowableArray(1 << 8)
        self._jumps = GrowableArray(1 << 14)
        self._jumps.take(1)
        self._heads = np.zeros(0, np.uint64)
        self._nodes_seen, self._heads_seen, self._nodes_placed = 0, 0, 1
        self._unplaced = list(self._lookups.values())
        self._place_lookups()

    def _place_lookups(self) -> None:
        """Give each lookup that has none a segment, and tell the nodes that ask it."""
        if not self._unplaced:
            return
        more = sum(lookup.dictionary.capacity for lookup in self._unplaced)
        if self._segments.size_with(more) > len(self._segments.array):
            self.require_room((self._segments.used + more) * NUMBER)
        before, start = self._segments.array, self._segments.take(more)
        if self._segments.array is not before:
            for lookup in self._placed:
                lookup.known = self._segment(lookup)
        for lookup in self._unplaced:
            lookup.start = start
            lookup.move_to(self._segment(lookup))
            self._placed.append(lookup)
            self._starts.append(start)
            start += len(lookup.known)
        self._unplaced = []
        trees = self.trees
        asked = trees.node_queries[self._nodes_placed :]
        starts = [self.queries[query][1].start for query in asked]
        trees.nodes.array[self._nodes_placed : trees.nodes.used, 1] = starts
        self._nodes_placed = trees.nodes.used

    def _segment(self, lookup: Lookup) -> Numbers:
        """The place of a lookup."""
        end = lookup.start + lookup.dictionary.capacity
        return self._segments.array[lookup.start : end]
