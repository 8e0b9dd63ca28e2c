"""The edges of a search: taken down level by level while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learned_functions import parts_of
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.liveness.state_graph import StateGraph
from replicheck.explorer.model import ActionFunction, Predicate
from replicheck.explorer.native.kernels.arrays import Level, U64Array
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    Edges,
    LevelEdges,
    NumberedStates,
    StepMeanings,
)
from replicheck.explorer.native.library import (
    count_edges,
    number_states,
    place_edges,
)

SMALLEST = 1 << 12
FULLEST = 0.6
"""How full the table of states may be."""
FEW = 256
"""So many edges of a state are sorted by insertion."""
TO_JOIN = 4
"""Bytes for an edge that has its place among all of them beside the one it had."""
TO_JUDGE = 60
"""Bytes for a state whose component, and the way to it, are looked for."""


class EdgeRecorder:
    """A selector of steps that takes all, and takes them down.

    Args:
        marks: for each action that is a mark, the predicate that it stands for.
    """

    def __init__(
        self, learner: Learner, marks: Mapping[ActionFunction, Predicate]
    ) -> None:
        self._learner, self._marks = learner, marks
        functions = learner.functions
        self._marked = [
            number
            for number, function in enumerate(functions)
            if function.instance.function in marks
        ]
        self._words = max(1, -(-len(self._marked) // 64))
        self._states = _room_for(SMALLEST)
        self._levels = [0]
        self._fingerprints: U64Array = np.zeros(0, np.uint64)
        self._found: list[LevelEdges] = []
        self._offsets = [np.zeros(1, np.int64)]
        self._targets: list[npt.NDArray[np.uint32]] = []
        self._steps: list[npt.NDArray[np.uint32]] = []
        self._bits: list[U64Array] = []
        self._placed = self._edges = 0
        """States whose edges are known, and the number of those."""
        self._goes_forward = True

    @property
    def walks_every_tree(self) -> bool:
        """What is known to be disabled needs no walk."""
        return False

    def begin_level(self, level: Level, wanted: U64Array) -> None:
        """Number the states of a level; then the edges to them are known."""
        self._number(level.fingerprints)
        self._place_edges()
        self._fingerprints = level.fingerprints.copy()

    def select(self, level: Level, chunks: Sequence[Chunk]) -> None:
        """Take down the steps of chunks."""
        leaves = self._learner.tables.trees.leaves.array
        for chunk in chunks:
            arrays, count = chunk.arrays, chunk.candidates
            steps = leaves[arrays.indices[:count]].astype(np.uint32)
            self._found.append(
                LevelEdges(
                    arrays.sources[:count].copy(),
                    steps,
                    arrays.fingerprints[:count].copy(),
                )
            )

    @property
    def room_to_judge(self) -> int:
        """The bytes that the graph and its judgement take beside what is there."""
        return TO_JOIN * self._edges + TO_JUDGE * self._levels[-1]

    def graph(self) -> StateGraph:
        """The graph, once the search has visited every state."""
        self._place_edges()
        self._states = _room_for(SMALLEST)
        functions = [function.instance for function in self._learner.functions]
        edges = Edges(
            offsets=np.concatenate(self._offsets),
            targets=_joined(self._targets),
            steps=_joined(self._steps),
            instances=self._instances,
        )
        bits = self._bits or [np.zeros((0, self._words), np.uint64)]
        return StateGraph(
            edges=edges,
            levels=np.array(self._levels, np.int64),
            instances=functions,
            marked=[self._predicate(number) for number in self._marked],
            marks=np.concatenate(bits),
            is_acyclic=self._goes_forward,
        )

    def _predicate(self, number: int) -> Instance:
        mark = self._learner.functions[number].instance
        return Instance(self._marks[mark.function], mark.arguments)

    @property
    def _instances(self) -> npt.NDArray[np.int32]:
        """The instance of each step: that of the first part, if it has parts."""
        steps, functions = self._learner.steps or [(0, 0)], self._learner.functions
        return np.array([parts_of(functions, of).start for of, _ in steps], np.int32)

    def _number(self, fingerprints: U64Array) -> None:
        """Give the states of a level their numbers."""
        first = self._levels[-1]
        count = first + len(fingerprints)
        if count > FULLEST * len(self._states.fingerprints):
            known = _in_order(self._states, first)
            self._states = _room_for(int(count / FULLEST) + 1)
            number_states(self._states, known, 0)
        number_states(self._states, fingerprints, first)
        self._levels.append(count)

    def _place_edges(self) -> None:
        """Have the edges of the level before state by state."""
        if not len(self._fingerprints):
            return
        found = LevelEdges(*map(np.concatenate, zip(*self._found, strict=True)))
        self._found = []
        instances = self._instances
        marks = np.full(len(self._learner.functions), -1, np.int32)
        marks[self._marked] = np.arange(len(self._marked), dtype=np.int32)
        meanings = StepMeanings(marks[instances], instances)
        count = len(self._fingerprints)
        bits = np.zeros((count, self._words), np.uint64)
        offsets = np.zeros(count + 1, np.int64)
        count_edges(found, self._fingerprints, meanings, bits, offsets)
        targets, steps = np.empty((2, int(offsets[-1])), np.uint32)
        least = place_edges(
            found,
            self._fingerprints,
            self._states,
            meanings,
            offsets,
            offsets[:-1].copy(),
            targets,
            steps,
            FEW,
        )
        _sort_many(offsets, targets, steps, instances)
        self._offsets.append(offsets[1:] + self._edges)
        self._targets.append(targets)
        self._steps.append(steps)
        self._bits.append(bits)
        self._edges += len(targets)
        self._placed += count
        self._goes_forward &= least >= self._placed
        self._fingerprints = self._fingerprints[:0]


def _sort_many(
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.uint32],
    steps: npt.NDArray[np.uint32],
    instances: npt.NDArray[np.int32],
) -> None:
    """Sort the edges of states that have more than a few, by instance and target."""
    for state in np.flatnonzero(np.diff(offsets) > FEW).tolist():
        edges = slice(offsets[state], offsets[state + 1])
        order = np.lexsort((targets[edges], instances[steps[edges]]))
        targets[edges], steps[edges] = targets[edges][order], steps[edges][order]


def _room_for(states: int) -> NumberedStates:
    size = 1 << (states - 1).bit_length()
    return NumberedStates(np.zeros(size, np.uint64), np.zeros(size, np.uint32))


def _in_order(states: NumberedStates, count: int) -> U64Array:
    """The fingerprints of so many states by their numbers."""
    known = np.empty(count, np.uint64)
    taken = states.fingerprints != 0
    known[states.numbers[taken]] = states.fingerprints[taken]
    return known


def _joined(parts: list[npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint32]:
    """Parts as one array; they are given up."""
    joined = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
    parts.clear()
    return joined
