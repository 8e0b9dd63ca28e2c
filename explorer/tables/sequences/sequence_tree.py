"""Sequences as paths of a tree: a queue is the queue before its last element, and it.

A class of values that names a field as its ``SEQUENCE`` promises how operations at the
ends change it (see `operation_laws`). So a value is a **node**: a root for what is in
its other fields, and an edge for each element. A node takes a few numbers, and an
object of Python is made of it only where one is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import (
    MOST_LENGTH,
    Indices,
    Numbers,
    U64Array,
)
from replicheck.explorer.native.kernels.sequence_arrays import (
    COUNTS,
    HEADS,
    LENGTH,
    NO_NODE,
    NO_VALUE,
    NODES,
    VALUES,
    TreeArrays,
)
from replicheck.explorer.native.library import (
    add_children,
    append_all,
    place_nodes,
    replace_heads,
)
from replicheck.explorer.native.packing import pack
from replicheck.explorer.proxies.operation_laws import OperationLaws
from replicheck.explorer.states.exact_equality import fields_compared
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.value_parts import is_as_given, require_parts
from replicheck.explorer.tables.sequences.node_hashes import NodeHashes, longer
from replicheck.explorer.tables.sequences.prefix_table import PrefixTable
from replicheck.explorer.tables.value_keys import PartNumbers, Unlike

FIRST_ROOM = 1 << 10
SLOTS_PER_NODE = 2


class SequenceTree:
    """The values of one class: nodes, and which of them are numbered values."""

    def __init__(self, kind: Any, names: tuple[str, ...], at: int, hasher: Hasher):
        self.kind, self.sequence = kind, names[at]
        self._names, self._at, self._hasher = names, at, hasher
        self._aliases = [field.alias or field.name for field in attrs.fields(kind)]
        # Of each field by itself, so that 0 in one and False in another are no clash.
        self._parts = tuple(PartNumbers(hasher) for _ in names)
        self._roots: dict[tuple[int, ...], int] = {}
        self._frames: list[tuple[int, ...]] = []
        """The numbers of what is in each field, 0 for the sequence."""
        self._node_hashes = NodeHashes(hasher)
        self._arrays = _tree_arrays(FIRST_ROOM, np.zeros(COUNTS, np.int64))
        self._packed = pack(self._arrays)

    def __len__(self) -> int:
        """The number of values."""
        return int(self._arrays.counts[VALUES])

    @classmethod
    def of(cls, value: Any, hasher: Hasher) -> Self | None:
        """The tree of values like this one; None if their class has no promise.

        Raises:
            ModelError: if the promise names no field.
        """
        kind: Any = type(value)
        laws = OperationLaws.of(value)
        promised = laws.sequence
        if promised is None or not laws.are_known:
            return None
        names = fields_compared(kind)
        if promised not in names or type(getattr(value, promised)) is not tuple:
            raise ModelError(
                f"`{kind.__name__}.SEQUENCE` is {promised!r}: expected the name of a"
                " field that holds a tuple and that `==` compares"
            )
        if not is_as_given(kind):
            return None
        return cls(kind, names, names.index(promised), hasher)

    def number(self, value: Any) -> int:
        """The number of a value, a new one if it is new.

        Raises:
            Unlike: if it cannot be said that it is, or is not, one of those known.
            ModelError: if something in it has no canonical form, or a part is not what
                its annotation says.
        """
        root = self._root_of(value)
        of_element = self._parts[self._at].unmistakable
        numbers = [of_element(element) for element in getattr(value, self.sequence)]
        return int(self.append(np.array([root], np.int32), numbers)[0])

    def prefixes(self, values: Indices) -> PrefixTable:
        """The values that have some numbers, as a table."""
        arrays, nodes = self._arrays, self._arrays.nodes[values]
        is_row = np.zeros(int(arrays.counts[NODES]), np.bool_)
        more = np.unique(nodes)
        while len(more):
            is_row[more] = True
            above = np.unique(arrays.parents[more])
            more = above[(above != NO_NODE) & ~is_row[above]]
        rows = np.flatnonzero(is_row)
        is_root = arrays.parents[rows] == NO_NODE
        roots, others = rows[is_root], rows[~is_root]
        row_of = np.empty(len(is_row), np.int32)
        row_of[roots] = np.arange(len(roots))
        row_of[others] = np.arange(len(roots), len(rows))
        elements, lasts = np.unique(arrays.lasts[others], return_inverse=True)
        part = self._parts[self._at].part
        return PrefixTable(
            field=self.sequence,
            starts=tuple([self._value_of(root) for root in roots.tolist()]),
            elements=tuple([part(element) for element in elements.tolist()]),
            before=row_of[arrays.parents[others]],
            lasts=lasts.astype(np.int32),
            values=row_of[nodes],
        )

    def numbers_of(self, table: PrefixTable) -> Numbers:
        """The numbers of the values of a table, new ones where they are new.

        Raises:
            Unlike, ModelError: as `number` does.
        """
        of_element = self._parts[self._at].unmistakable
        numbers = [of_element(element) for element in table.elements]
        nodes = np.empty(len(table.starts) + len(table.before), np.int32)
        nodes[: len(table.starts)] = [self._root_of(start) for start in table.starts]
        self._require_room(len(table.before))
        lasts = np.array(numbers, np.int32)[table.lasts]
        add_children(self._packed, table.before, lasts, nodes)
        return self.append(nodes[table.values], ())

    def nodes_of(self, values: Indices) -> Numbers:
        """The nodes of some values, by their numbers."""
        return self._arrays.nodes[values]

    def are_empty(self, nodes: Numbers) -> Any:
        """Tell of each node whether it has no element: a root."""
        return self._arrays.parents[nodes] == NO_NODE

    def append(self, nodes: Numbers, elements: Sequence[int]) -> Numbers:
        """The numbers of what some nodes become with more elements at the end."""
        numbers, added = np.empty(len(nodes), np.int32), np.array(elements, np.int32)
        done = 0
        while done < len(nodes):
            self._require_room(len(added))
            done = append_all(self._packed, nodes, added, done, numbers)
        return numbers

    def replace_heads(
        self, nodes: Numbers, after_heads: Numbers, known: Numbers
    ) -> Numbers:
        """The numbers of what some nodes, which are no roots, become with other heads.

        Args:
            after_heads: for each node the one that its head becomes.
            known: the number of what a value becomes, negative where that is not known.
        """
        numbers, done = np.empty(len(nodes), np.int32), 0
        path = np.empty(longest := int(self._arrays.counts[LENGTH]), np.int32)
        while done < len(nodes):
            self._require_room(longest)
            done = replace_heads(
                self._packed, nodes, after_heads, known, path, done, numbers
            )
        return numbers

    def elements(self, node: int, above: int = NO_NODE) -> list[int]:
        """The numbers of the elements of a node, or of those below a node above it."""
        parents, lasts = self._arrays.parents, self._arrays.lasts
        found: list[int] = []
        while node != above and (parent := parents.item(node)) != NO_NODE:
            found.append(lasts.item(node))
            node = parent
        return found[::-1]

    def node_of(self, value: int) -> int:
        """The node of a value."""
        return self._arrays.nodes.item(value)

    def without_last(self, node: int) -> tuple[int, int]:
        """The node without the last element, or `NO_NODE`, and that element."""
        return self._arrays.parents.item(node), self._arrays.lasts.item(node)

    def value(self, number: int) -> Any:
        """The value that has a number, made anew."""
        return self._value_of(self._arrays.nodes.item(number))

    def _value_of(self, node: int) -> Any:
        """The value that a node stands for."""
        frame = self._frames[self._arrays.frames[self._arrays.heads[node]]]
        fields = [
            parts.part(of) if place != self._at else self._tuple(node)
            for place, (of, parts) in enumerate(zip(frame, self._parts, strict=True))
        ]
        return self.kind(**dict(zip(self._aliases, fields, strict=True)))

    def _tuple(self, node: int) -> tuple[Any, ...]:
        part = self._parts[self._at].part
        return tuple([part(element) for element in self.elements(node)])

    def heads_of(self, values: Indices) -> Numbers:
        """The heads of some values, by their numbers."""
        return self._arrays.heads[self._arrays.nodes[values]]

    def lengths_of(self, values: Indices) -> Numbers | None:
        """Numbers of the frames and lengths of values; None if some are too long."""
        nodes = self._arrays.nodes[values]
        depths = self._arrays.depths[nodes]
        if int(depths.max()) >= MOST_LENGTH:
            return None
        frames = self._arrays.frames[self._arrays.heads[nodes]]
        return frames * MOST_LENGTH + depths

    def hashes(self, low: int) -> U64Array:
        """The stable hashes of the values from a number on: those of `Hasher`."""
        arrays = self._arrays
        nodes = arrays.nodes[low : len(self)]
        frames = np.array(self._frames, np.int64)[arrays.frames[arrays.heads[nodes]]]
        start = self._hasher.start_of(self.kind.__qualname__)
        total = np.full(len(nodes), start, np.uint64)
        for place, parts in enumerate(self._parts):
            of_part = np.array(parts.hashes, np.uint64)
            if place == self._at:
                of_field = self._node_hashes.of(nodes, arrays, of_part)
            else:
                of_field = of_part[frames[:, place]]
            total = longer(total, of_field, place + 1)
        return total

    def _root_of(self, value: Any) -> int:
        """The root of a value; raises as `number` does."""
        elements = getattr(value, self.sequence, None)
        if type(value) is not self.kind or type(elements) is not tuple:
            raise Unlike
        frame = tuple(
            [
                0 if place == self._at else parts.unmistakable(getattr(value, name))
                for place, (name, parts) in enumerate(
                    zip(self._names, self._parts, strict=True)
                )
            ]
        )
        if frame not in self._roots:
            require_parts(value)
        return self._root(frame)

    def _root(self, frame: tuple[int, ...]) -> int:
        root = self._roots.get(frame)
        if root is None:
            self._require_room(1)
            arrays, counts = self._arrays, self._arrays.counts
            root = self._roots[frame] = int(counts[NODES])
            head = int(counts[HEADS])
            arrays.frames[head] = len(self._frames)
            self._frames.append(frame)
            arrays.parents[root], arrays.heads[root] = NO_NODE, head
            arrays.lasts[root] = arrays.depths[root] = 0
            arrays.numbers[root] = NO_VALUE
            counts[NODES] += 1
            counts[HEADS] += 1
        return root

    def _require_room(self, more: int) -> None:
        """Have room for so many more nodes, and a place for each of them."""
        room, count = len(self._arrays.parents), int(self._arrays.counts[NODES])
        if count + more <= room:
            return
        while count + more > room:
            room *= 2
        before, self._arrays = self._arrays, _tree_arrays(room, self._arrays.counts)
        for old, new in zip(before[:-2], self._arrays[:-2], strict=True):
            new[: len(old)] = old
        self._packed = pack(self._arrays)
        place_nodes(self._packed)


def _tree_arrays(room: int, counts: npt.NDArray[np.int64]) -> TreeArrays:
    """Arrays with room for so many nodes."""
    columns = [np.zeros(room, np.int32) for _ in TreeArrays._fields[:-2]]
    slots = np.zeros(SLOTS_PER_NODE * room, np.int32)
    return TreeArrays._make([*columns, slots, counts])
