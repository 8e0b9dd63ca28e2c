"""The learned tables: decision trees over small numbers, laid out for the kernels.

For one state, a **row** holds the number of each cell's value. A **view** answers one
question about one cell ("does log 2 have offset 1?"): its table maps the number of a
value to the number of an answer. An **operation** maps the number of a value to the
number of the value that it turns into. Views and operations are *lookups*, segments of
one array. A **tree** per instance says what to ask next, given the answers so far::

    roots[instance] ─> node ──answer──> node ──answer──> leaf
                        │                │
    nodes[node] = (column, start of the view's lookup, start of the children, room)
    answer      = lookups[start of lookup + row[column]]
    child       = children[start of children + answer]       if answer < room
                  > 0  a node      0  not learned      ASKED  asked for, not learned
                  DISABLED  no step; the predicate is undecided by this state
                  other     -offset of a leaf in `leaves`

    leaves[offset] = number of steps, then for each step:
                       step number, bit set of broken step properties, number of writes,
                       (column, value number  or  -1 - operation) for each write
                     or NOTED: a predicate says what is to be noted (a violation, a
                     witness reached), RAISED: the function raised, CUT: a constraint
                     cuts

    heads[node] = start of the jumps, or 0 for none, << COLUMN_BITS | column
    jumps[start of jumps + row[column]]
                   = the first node below that asks about another column, or the leaf:
                     a shortcut past all questions about one cell; 0 until a kernel has
                     gone the long way
    lookups[...]   = UNKNOWN until known, SOUGHT once asked for; RAISES where the model
                     raised

    words[(first[column] + number) * permutations + permutation]
                   = what the cell adds to the fingerprint
    masks[(first[column] + number) * width + word]
                   = bit set of the instances that this value alone does not disable
    readers[column, word] = bit set of the instances that ever read the column

Numbers of values, views and operations grow while a search goes on. When a domain
outgrows its capacity, everything is laid out anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import (
    ASKED,
    COLUMN_BITS,
    DISABLED,
    RAISES,
    UNKNOWN,
    Arrays,
    Numbers,
    Words,
)
from replicheck.explorer.cells import Layout
from replicheck.explorer.domains import Domain
from replicheck.explorer.fingerprint import FIRST_MULTIPLIER, GOLDEN, SECOND_MULTIPLIER
from replicheck.explorer.model import Symmetry
from replicheck.explorer.recording import WHOLE, Call

FIRST_LEAF = 2
"""Leaves begin here, so that no leaf's negative offset looks like DISABLED."""
UNPLACED = -1
ALL_ONES = np.uint64(2**64 - 1)
FIRST_ROOM = 4
MOST_JUMPS = 512
"""The largest capacity of a domain for which nodes have jumps: they cost its size."""


class Lookup:
    """A view or an operation: what each value of a domain maps to, where known."""

    def __init__(
        self, domain: Domain, calls: tuple[Call, ...], *, is_operation: bool
    ) -> None:
        self.domain = domain
        self.calls = calls
        self.is_operation = is_operation
        self.start = UNPLACED
        self.known = np.full(domain.capacity, UNKNOWN, np.int32)
        if calls == (WHOLE,):
            self.known = np.arange(domain.capacity, dtype=np.int32)
        self.answers: list[Any] = []
        self.asked = 0
        """So many values were asked without regard to what is reached."""
        self.has_raised = False
        self._numbers: dict[Any, int] = {}

    def fit(self) -> None:
        """Make room for as many values as the domain has."""
        old = len(self.known)
        if old < self.domain.capacity:
            fresh = np.full(self.domain.capacity - old, UNKNOWN, np.int32)
            if self.calls == (WHOLE,):
                fresh = np.arange(old, self.domain.capacity, dtype=np.int32)
            self.known = np.concatenate([self.known, fresh])

    def answer_number(self, answer: Any) -> int:
        """Return the number of a view's answer, a new one if it is new."""
        key = (type(answer), answer)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.answers)
            self.answers.append(answer)
        return number

    @property
    def is_closed(self) -> bool:
        """Tell whether both truth values, and nothing else, have been answered."""
        return (
            len(self.answers) == 2
            and all(isinstance(answer, bool) for answer in self.answers)
            and not self.has_raised
        )

    def __str__(self) -> str:
        """Return the calls as Python writes them, such as ``.epoch_at(1)``."""
        return "".join(call_text(call) for call in self.calls)


def call_text(call: Call) -> str:
    """Return an attribute or a call with its arguments as Python writes it."""
    name, arguments = call
    if not name:
        return ""
    inside = ", ".join(repr(argument) for argument in arguments)
    return f".{name}({inside})" if arguments else f".{name}"


class Growing:
    """An array of numbers that grows at its end."""

    def __init__(self, size: int, *width: int) -> None:
        self.array: Numbers = np.zeros((size, *width), np.int32)
        self.used = 0

    def take(self, count: int) -> int:
        """Return the start of ``count`` new entries, which are zero."""
        start = self.used
        self.used += count
        while self.used > len(self.array):
            self.array = np.concatenate([self.array, np.zeros_like(self.array)])
        return start


class Tables:
    """Everything that was learned, written by `Learner` and read by the kernels."""

    def __init__(
        self,
        layout: Layout,
        domains: Sequence[Domain],
        symmetries: Sequence[Symmetry],
        instances: int,
    ) -> None:
        self.layout = layout
        self.domains = tuple(domains)
        self.instances = instances
        self.width = (instances + 63) // 64
        self.permutations = 1 + len(symmetries)
        self.views: list[tuple[int, Lookup]] = []
        self.operations: list[Lookup] = []
        self.node_views: list[int] = [0]
        self.roots: Numbers = np.zeros(instances, np.int32)
        self.leaf_count = 0
        self._lookups: dict[tuple[int, tuple[Call, ...]], Lookup] = {}
        self._view_numbers: dict[tuple[int, Call], int] = {}
        self._operation_numbers: dict[tuple[int, tuple[Call, ...]], int] = {}
        self._nodes = Growing(1024, 4)
        self._head_words: Words = np.zeros(1024, np.uint64)
        self._heads: list[int] = []
        """The nodes that ask about another column than their parent."""
        self._nodes.take(1)
        self._children = Growing(1 << 14)
        self._leaves = Growing(1 << 14)
        self._leaves.take(FIRST_LEAF)
        self._leaf_offsets: dict[tuple[int, ...], int] = {}
        self._readers: Words = np.zeros((len(layout.cells), self.width), np.uint64)
        self._grown_marks = np.zeros(len(self._nodes.array), np.uint8)
        self._masks: Words = np.zeros(0, np.uint64)
        self._moved = self._moved_columns(symmetries)
        self._filled = [0] * len(layout.cells)
        self._unplaced: list[Lookup] = []
        self._lay_out()

    def view(self, column: int, call: Call) -> int:
        """Return the number of the view that asks this of a column."""
        number = self._view_numbers.get((column, call))
        if number is None:
            number = self._view_numbers[column, call] = len(self.views)
            lookup = self._lookup(column, (call,), is_operation=False)
            self.views.append((column, lookup))

        return number

    def operation(self, column: int, calls: tuple[Call, ...]) -> int:
        """Return the number of the operation that applies these calls to a column."""
        domain = self.domains[column]
        number = self._operation_numbers.get((id(domain), calls))
        if number is None:
            number = len(self.operations)
            self._operation_numbers[id(domain), calls] = number
            self.operations.append(self._lookup(column, calls, is_operation=True))
        return number

    def lookup_at(self, place: int) -> tuple[Lookup, int]:
        """Return the lookup that has a place of ``lookups``, and the value there."""
        lookup = self._placed[bisect_right(self._starts, place) - 1]
        return lookup, place - lookup.start

    def learn_lookup(self, lookup: Lookup, value: int, answer: int) -> None:
        """Note what a lookup says of a value."""
        lookup.fit()
        lookup.known[value] = answer
        lookup.has_raised |= answer == RAISES
        placed = lookup.start != UNPLACED
        if placed and lookup.domain.capacity == self._laid_out[id(lookup.domain)]:
            self._segments.array[lookup.start + value] = answer

    def add_leaf(self, leaf: tuple[int, ...]) -> int:
        """Return the code of a leaf for a tree, sharing equal leaves."""
        offset = self._leaf_offsets.get(leaf)
        if offset is None:
            offset = self._leaf_offsets[leaf] = self._leaves.take(len(leaf))
            self._leaves.array[offset : offset + len(leaf)] = leaf
        return -offset

    def find(self, instance: int, row: Sequence[int]) -> int:
        """Return the leaf code of an instance in a state, or 0 where not learned."""
        at = int(self.roots[instance])
        nodes, children = self._nodes.array, self._children.array
        while at > 0:
            column, lookup = self.views[self.node_views[at]]
            lookup.fit()
            answer = int(lookup.known[row[column]])
            if not 0 <= answer < nodes[at, 3]:
                return 0
            at = int(children[nodes[at, 2] + answer])
        return 0 if at == ASKED else at

    def insert(
        self, instance: int, reads: Sequence[tuple[int, int]], leaf: int
    ) -> bool:
        """Put a leaf at the end of a path of (view, answer); False if one is there.

        Raises:
            LookupError: if the tree asks another view on the way, or has a leaf in it.
        """
        if not reads:
            old, self.roots[instance] = int(self.roots[instance]), leaf
            if old not in (0, leaf):
                raise LookupError
            return old == 0
        bit = np.uint64(1 << (instance & 63))
        for view, _ in reads:
            self._readers[self.views[view][0], instance >> 6] |= bit
        if self.roots[instance] == 0:
            self.roots[instance] = self._new_node(reads[0][0], 0)
        at = int(self.roots[instance])
        for position, (view, answer) in enumerate(reads):
            if at <= 0 or self.node_views[at] != view:
                raise LookupError
            slot = self._slot(at, answer)
            child = int(self._children.array[slot])
            if position == len(reads) - 1:
                if child > 0 or (child not in (0, ASKED) and child != leaf):
                    raise LookupError
                self._children.array[slot] = leaf
                self.leaf_count += child in (0, ASKED)
                return child in (0, ASKED)
            if child in (0, ASKED):
                child = self._new_node(reads[position + 1][0], at)
                self._children.array[slot] = child
            at = child
        raise AssertionError("unreachable: the last read returns")

    def insert_open_end(
        self, instance: int, reads: Sequence[tuple[int, int]], view: int
    ) -> None:
        """Lengthen the path by a node that asks a view, without an answer to it."""
        if self.roots[instance] == 0:
            self.roots[instance] = self._new_node(reads[0][0] if reads else view, 0)
        at = int(self.roots[instance])
        for position, (asked, answer) in enumerate(reads):
            if at <= 0 or self.node_views[at] != asked:
                raise LookupError
            slot = self._slot(at, answer)
            if self._children.array[slot] in (0, ASKED):
                following = (
                    reads[position + 1][0] if position + 1 < len(reads) else view
                )
                self._children.array[slot] = self._new_node(following, at)
            at = int(self._children.array[slot])

    def arrays(self) -> Arrays:
        """Return the tables for the kernels, brought up to date.

        The arrays stay valid until the next call; kernels write only marks into them.
        """
        if any(each.capacity != self._laid_out[id(each)] for each in self.domains):
            self._lay_out()
        self._place_lookups()
        self._fill_words()
        return Arrays(
            roots=self.roots,
            nodes=self._nodes.array,
            heads=self._head_words,
            grown=self._grown(),
            children=self._children.array,
            lookups=self._segments.array,
            jumps=self._jumps.array,
            operations=np.array(
                [each.start for each in self.operations] or [0], np.int32
            ),
            leaves=self._leaves.array,
            first=self._first,
            words=self._words,
            masks=self._masks,
            readers=self._readers,
        )

    def renew_masks(self) -> None:
        """Work out anew which values of a single cell disable which instances.

        Masks that are out of date are sound: they let the trees be walked in vain.
        """
        shape = (int(self._first[-1]), self.width)
        masks = np.full(shape, ALL_ONES, np.uint64)
        for instance in range(self.instances):
            word, bit = instance >> 6, ~np.uint64(1 << (instance & 63))
            for view, answers in self._disabling(int(self.roots[instance])).items():
                column, lookup = self.views[view]
                known = lookup.known[: len(lookup.domain)]
                # UNKNOWN and RAISES, being negative, take the two places at the end.
                disabling = np.zeros(max(UNKNOWN, int(known.max())) + 3, np.bool_)
                disabling[[each for each in answers if each < len(disabling) - 2]] = (
                    True
                )
                disabled = disabling[known]
                first = int(self._first[column])
                masks[first : first + len(known), word][disabled] &= bit
        self._masks = masks.reshape(-1)

    def _disabling(self, at: int) -> dict[int, set[int]]:
        """Return the answers, by view, that alone disable the instance from a node on.

        What the children agree on counts if every answer that the node can get has a
        child: a closed question. Of an open question its own answers count alone.
        """
        if at <= 0:
            return {}
        _, view, children = self.node(at)
        found = {view: set(np.flatnonzero(children == DISABLED).tolist())}
        lookup = self.views[view][1]
        if not lookup.is_closed:
            return found
        others = [int(child) for child in children[:2] if child != DISABLED]
        if len(others) != 1 or others[0] <= 0:
            return found
        for other, answers in self._disabling(others[0]).items():
            found.setdefault(other, set()).update(answers)
        return found

    def closed_views(self) -> list[Lookup]:
        """Return the lookups of the closed questions."""
        return [each for each in self._lookups.values() if each.is_closed]

    @property
    def size(self) -> int:
        """Return the bytes that the arrays take."""
        return sum(
            array.nbytes
            for array in (
                self._nodes.array,
                self._children.array,
                self._leaves.array,
                self._segments.array,
                self._words,
                self._masks,
            )
        )

    def leaf(self, code: int) -> Numbers:
        """Return the leaves' array from a leaf's code on."""
        return self._leaves.array[-code:]

    def node(self, number: int) -> tuple[int, int, Numbers]:
        """Return a node's column, its view and its children by answer."""
        view = self.node_views[number]
        start, room = self._nodes.array[number, 2:4]
        return self.views[view][0], view, self._children.array[start : start + room]

    def _lookup(
        self, column: int, calls: tuple[Call, ...], *, is_operation: bool
    ) -> Lookup:
        """Return the lookup that all columns of a domain share."""
        domain = self.domains[column]
        key = (id(domain), calls)
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = Lookup(domain, calls, is_operation=is_operation)
            self._lookups[key] = lookup
            self._unplaced.append(lookup)
        return lookup

    def _grown(self) -> npt.NDArray[np.uint8]:
        if len(self._grown_marks) < self._nodes.used:
            self._grown_marks = np.zeros(len(self._nodes.array), np.uint8)
        else:
            self._grown_marks[:] = 0
        return self._grown_marks

    def _new_node(self, view: int, parent: int) -> int:
        """Add a node below another, or below none (0)."""
        number = self._nodes.take(1)
        self.node_views.append(view)
        column, lookup = self.views[view]
        children = self._children.take(FIRST_ROOM)
        self._nodes.array[number] = (column, lookup.start, children, FIRST_ROOM)
        if number == len(self._head_words):
            more = np.zeros_like(self._head_words)
            self._head_words = np.concatenate([self._head_words, more])
        self._head_words[number] = column
        if parent == 0 or self._nodes.array[parent, 0] != column:
            self._heads.append(number)
            self._place_jumps(number)
        return number

    def _place_jumps(self, head: int) -> None:
        """Give a node room for its jumps, unless its domain is too large."""
        column = int(self._nodes.array[head, 0])
        size = int(self._first[column + 1] - self._first[column])
        start = self._jumps.take(size) if size <= MOST_JUMPS else 0
        self._head_words[head] = start << COLUMN_BITS | column

    def _slot(self, node: int, answer: int) -> int:
        """Return where the child for an answer is, making room for it if need be."""
        start, room = (int(each) for each in self._nodes.array[node, 2:4])
        if answer < room:
            return start + answer
        larger = room
        while larger <= answer:
            larger *= 2
        moved = self._children.take(larger)
        children = self._children.array
        children[moved : moved + room] = children[start : start + room]
        self._nodes.array[node, 2:4] = (moved, larger)
        return moved + answer

    def _lay_out(self) -> None:
        """Give every lookup and every column a place that fits its domain."""
        self._laid_out = {id(domain): domain.capacity for domain in self.domains}
        capacities = [domain.capacity for domain in self.domains]
        self._first = np.concatenate([[0], np.cumsum(capacities)]).astype(np.int64)
        total = int(self._first[-1])
        self._words: Words = np.zeros(total * self.permutations, np.uint64)
        self._masks = np.full(total * self.width, ALL_ONES, np.uint64)
        self._filled = [0] * len(self.domains)
        self._grown_marks = np.zeros(len(self._nodes.array), np.uint8)
        self._placed: list[Lookup] = []
        self._starts: list[int] = []
        self._segments = Growing(1 << 12)
        self._jumps = Growing(1 << 14)
        self._jumps.take(1)
        for head in self._heads:
            self._place_jumps(head)
        self._unplaced = list(self._lookups.values())
        self._place_lookups()

    def _place_lookups(self) -> None:
        """Give each lookup that has none a segment, and tell the nodes that ask it."""
        if not self._unplaced:
            return
        for lookup in self._unplaced:
            lookup.fit()
            size = lookup.domain.capacity
            lookup.start = self._segments.take(size)
            self._segments.array[lookup.start : lookup.start + size] = lookup.known
            self._placed.append(lookup)
            self._starts.append(lookup.start)
        self._unplaced = []
        asked = np.array(self.node_views[1 : self._nodes.used], np.int64)
        starts = np.array([view.start for _, view in self.views] or [0], np.int32)
        self._nodes.array[1 : self._nodes.used, 1] = starts[asked]

    def _fill_words(self) -> None:
        for column, domain in enumerate(self.domains):
            low, high = self._filled[column], len(domain)
            if low == high:
                continue
            columns = self._moved[column]
            words = cell_words(domain.hashes[low:high], columns)
            start = (int(self._first[column]) + low) * self.permutations
            self._words[start : start + words.size] = words.reshape(-1)
            self._filled[column] = high

    def _moved_columns(self, symmetries: Sequence[Symmetry]) -> Words:
        """Return, for each column and renaming, the column that the cell becomes."""
        cells = self.layout.cells
        return np.array(
            [
                [
                    column,
                    *(
                        self.layout.columns[
                            type(cell)(cell.field, each.cell(cell.field, cell.index))
                        ]
                        for each in symmetries
                    ),
                ]
                for column, cell in enumerate(cells)
            ],
            np.uint64,
        )


def cell_words(hashes: Words, columns: Words) -> Words:
    """Return `fingerprint.cell_word` of many values; ``columns`` per last axis."""
    words: Words = hashes + np.uint64(GOLDEN) * (columns + np.uint64(1))
    words = (words ^ (words >> np.uint64(30))) * np.uint64(FIRST_MULTIPLIER)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(SECOND_MULTIPLIER)
    return words ^ (words >> np.uint64(31))
