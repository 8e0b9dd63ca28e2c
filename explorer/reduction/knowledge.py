"""Knowledge: what was learned of a model up to now, in the arrays of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    NO_LAW,
    Boxes,
    GoalBounds,
    Knowledge,
    Writes,
)
from replicheck.explorer.reduction.boxes import Bound, Box, BoxReader, Leaf, Marks
from replicheck.explorer.reduction.value_space import ValueSpace
from replicheck.explorer.tables.dictionary import Dictionary

PSEUDO_VALUES = 2
"""Each column has two values more: *longer*, and *any*."""


class KnowledgeSource:
    """Makes what a learner knows the knowledge of a reduction, again and again."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._by_dictionary: dict[Dictionary, ValueSpace] = {}

    def knowledge(self, optional: frozenset[str]) -> Knowledge:
        """What is known now; claims of optional names have no goals."""
        learner = self._learner
        dictionaries = learner.tables.dictionaries
        for dictionary in dictionaries:
            if dictionary not in self._by_dictionary:
                self._by_dictionary[dictionary] = ValueSpace(dictionary)
        operations = learner.tables.operations
        questions = dict.fromkeys(lookup for _, lookup in learner.tables.queries)
        for dictionary, space in self._by_dictionary.items():
            space.update(
                [o for o in operations if o.dictionary is dictionary],
                [q for q in questions if q.dictionary is dictionary],
            )
        spaces = [self._by_dictionary[dictionary] for dictionary in dictionaries]
        reader = BoxReader(learner, spaces, optional)
        reader.read()
        return _Packer(learner, spaces).packed(reader.leaves, reader.goals)


class _Packer:
    """Puts boxes into arrays."""

    def __init__(self, learner: Learner, spaces: Sequence[ValueSpace]) -> None:
        self._learner, self._spaces = learner, spaces
        self._words = (len(spaces) + 63) // 64
        self._bits: list[U64Array] = []
        self._places: dict[bytes, int] = {}
        self._of_bounds: dict[tuple[int, Bound], tuple[int, int, bool]] = {}
        self._used = 0
        self._images: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
        self._image_count = 0
        self._image_places: dict[tuple[int, int], int] = {}
        self._all_ones = [self._add_bits(np.ones(len(s), np.bool_)) for s in spaces]

    def packed(self, leaves: Sequence[Leaf], goals: Sequence[Box]) -> Knowledge:
        """Arrays of leaves, in the order of their instances, and goals."""
        spaces = self._spaces
        sizes = np.array([len(space) + PSEUDO_VALUES for space in spaces], np.int64)
        first_values = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        words = [_words(int(size)) for size in sizes]
        numbers = [len(space.of_numbers) for space in spaces]
        has_head = np.zeros(int(first_values[-1]), np.uint8)
        for column, space in enumerate(spaces):
            if space.laws.are_known:
                for value in range(len(space)):
                    has_head[first_values[column] + value] = space.has_head(value)
        instances = np.array([leaf.box.instance for leaf in leaves], np.int64)
        boxes = self._boxes([leaf.box for leaf in leaves])
        found_goals, writes = self._boxes(goals), self._writes(leaves)
        return Knowledge(
            leaves=boxes,
            goals=found_goals,
            writes=writes,
            bits=np.concatenate(self._bits),
            images=np.concatenate([*self._images, np.zeros(1, np.int32)]),
            sizes=sizes,
            first_values=first_values,
            first_words=np.concatenate([[0], np.cumsum(words)]).astype(np.int64),
            first_numbers=np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64),
            values=np.concatenate(
                [np.array(space.of_numbers, np.int32) for space in spaces]
            ),
            has_head=has_head,
            first_leaves=np.searchsorted(
                instances, np.arange(len(self._learner.functions) + 1)
            ).astype(np.int64),
            is_goal=np.ones(max(1, len(goals)), np.uint8),
            bounds=self._goal_bounds(found_goals, len(goals)),
        )

    def _boxes(self, boxes: Sequence[Box]) -> Boxes:
        bounds = [
            (number, column, *self._packed_bound(column, bound))
            for number, box in enumerate(boxes)
            for column, bound in box.bounds.items()
        ]
        rows, columns, *packed = np.array(bounds, np.int64).reshape(-1, 5).T
        shape = max(1, len(boxes)), len(self._spaces)
        places, heads = np.full(shape, -1, np.int32), np.zeros(shape, np.int32)
        head_only = np.zeros(shape, np.uint8)
        at = rows, columns
        places[at], heads[at], head_only[at] = packed
        bounded: U64Array = np.zeros((shape[0], self._words), np.uint64)
        bits = np.uint64(1) << (columns & 63).astype(np.uint64)
        np.bitwise_or.at(bounded, (rows, columns >> 6), bits)
        return Boxes(
            starts=np.searchsorted(rows, np.arange(len(boxes) + 1)).astype(np.int64),
            columns=columns.astype(np.int32) if bounds else np.zeros(1, np.int32),
            places=places,
            heads=heads,
            head_only=head_only,
            bounded=bounded,
            instances=np.array([box.instance for box in boxes] or [-1], np.int32),
        )

    def _packed_bound(self, column: int, bound: Bound) -> tuple[int, int, bool]:
        """Place of the values of a bound, of those of heads, whether it asks no more.

        Boxes below one node share the bounds of the path to it.
        """
        key = column, bound
        found = self._of_bounds.get(key)
        if found is None:
            place = self._add_bits(bound.values)
            heads = self._heads(column, bound, place)
            found = self._of_bounds[key] = place, heads, bound.is_of_head
        return found

    def _goal_bounds(self, goals: Boxes, count: int) -> GoalBounds:
        """The goals by what they bound each column with."""
        by_bound: dict[tuple[int, int, int, int], list[int]] = {}
        for number in range(count):
            for place in range(goals.starts[number], goals.starts[number + 1]):
                column = int(goals.columns[place])
                at = number, column
                key = (
                    column,
                    int(goals.places[at]),
                    int(goals.heads[at]),
                    int(goals.head_only[at]),
                )
                by_bound.setdefault(key, []).append(number)
        keys = sorted(by_bound)
        lists = [by_bound[key] for key in keys]
        return GoalBounds(
            first=np.searchsorted(
                [column for column, *_ in keys], np.arange(len(self._spaces) + 1)
            ).astype(np.int64),
            starts=np.cumsum([0, *map(len, lists)]).astype(np.int64),
            goals=np.array([*chain.from_iterable(lists)] or [0], np.int32),
        )

    def _heads(self, column: int, bound: Bound, place: int) -> int:
        if bound.is_of_head:
            return place
        if bound.of_head.all():
            return self._all_ones[column]
        return self._add_bits(bound.of_head)

    def _add_bits(self, values: Marks) -> int:
        """The place of a set of values; the two pseudo-values are always in it."""
        marks = np.ones(_words(len(values) + PSEUDO_VALUES) * 64, np.bool_)
        marks[: len(values)] = values
        marks[len(values) + PSEUDO_VALUES :] = False
        words = np.packbits(marks, bitorder="little").view("<u8").astype(np.uint64)
        place = self._places.get(words.tobytes())
        if place is None:
            place = self._places[words.tobytes()] = self._used
            self._bits.append(words)
            self._used += len(words)
        return place

    def _writes(self, leaves: Sequence[Leaf]) -> Writes:
        columns: list[int] = []
        places: list[int] = []
        laws: list[int] = []
        of_leaves: list[int] = []
        starts = [0]
        written: U64Array = np.zeros((max(1, len(leaves)), self._words), np.uint64)
        for number, leaf in enumerate(leaves):
            for column, code in leaf.writes:
                columns.append(column)
                places.append(self._image_place(column, code))
                laws.append(self._law(column, code))
                of_leaves.append(number)
                written[number, column >> 6] |= np.uint64(1 << (column & 63))
            starts.append(len(columns))
        return Writes(
            starts=np.array(starts, np.int64),
            columns=np.array(columns or [0], np.int32),
            places=np.array(places or [0], np.int64),
            laws=np.array(laws or [0], np.uint8),
            written=written,
            leaves=np.array(of_leaves or [0], np.int32),
        )

    def _law(self, column: int, code: int) -> int:
        if code >= 0:
            return NO_LAW
        operation = self._learner.tables.operations[-1 - code]
        return self._spaces[column].laws.law_of(operation.calls)

    def _image_place(self, column: int, code: int) -> int:
        place = self._image_places.get((column, code))
        if place is None:
            place = self._image_places[column, code] = self._image_count
            space = self._spaces[column]
            count = len(space)
            unknown = count + 1
            images = np.full(count + PSEUDO_VALUES, unknown, np.int32)
            if code >= 0:
                images[:] = space.of_numbers[code]
            else:
                known = space.images(self._learner.tables.operations[-1 - code])
                images[:count] = np.where(known == -1, unknown, known)
            self._images.append(images)
            self._image_count += len(images)
        return place


def _words(bits: int) -> int:
    """Words that a set of so many elements takes."""
    return (bits + 63) >> 6
