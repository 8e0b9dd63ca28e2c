"""A walker: takes the walk of a plan through one model, over its learned tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.engine import Stop
from replicheck.explorer.engines.fuzzing.walk_plan import Plan, places_of
from replicheck.explorer.engines.simulation.strategies import group_numbers
from replicheck.explorer.frontier.chunk_walker import ChunkWalker
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.encoding_watch import (
    CROWDED,
    encoding_watch,
    until_found,
)
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.encoded_functions import can_have_parts
from replicheck.explorer.model import Model, S
from replicheck.explorer.native.kernels.arrays import (
    DEADLOCKED,
    ENDED,
    FORBIDDEN,
    LACKING,
    MISSED,
    REPORTED_HERE,
    Footsteps,
    Leanings,
    Level,
    U64Array,
)
from replicheck.explorer.native.library import follow
from replicheck.explorer.native.packed_rows import pack_rows, room_of, with_room
from replicheck.explorer.native.packing import pack
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace, Violation
from replicheck.explorer.runtime.digest import digest_bytes
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.property_status import PropertyStatus
from replicheck.explorer.states.encoding import AT_FIRST, Encoding

Group = Callable[[Instance], object]
"""Tells to what an instance belongs, such as one process."""


@frozen(eq=False)
class PlannedWalk(Generic[S]):
    """A walk: where it was, and what it violates.

    ``fingerprints`` has the state to which each step led. ``faults`` are those since it
    last began.
    """

    fingerprints: U64Array
    steps: npt.NDArray[np.int32]
    faults: int
    violation: Violation[S] | None = None


class PlanWalker(Generic[S]):
    """Walks through one model, and learns its tables on the way."""

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        faults: frozenset[str],
        group: Group,
        while_learning: Callable[[], None] = lambda: None,
        require_room: Callable[[int], None] = lambda size: None,
        crowded: int = CROWDED,
    ) -> None:
        """Take the actions with the names ``faults`` for faults.

        ``while_learning`` is called now and then, ``require_room`` before the tables
        take so many bytes more; what they raise ends the walk. A set with so many
        values as ``crowded`` is split, if that spares something.
        """
        self.model, self._properties, self._crowded = model, properties, crowded
        self._while_learning, self._require_room = while_learning, require_room
        self._fault_names, self._group = faults, group
        self._steps = 0
        self._learn(AT_FIRST)

    def _learn(self, encoding: Encoding) -> None:
        """Begin to learn, with sets of some fields split into so many columns."""
        self.learner = Learner(self.model, self._properties, encoding=encoding)
        self.learner.tables.require_room = self._require_room
        self._look_at_encoding = encoding_watch(self.learner, self._crowded)
        self.status = PropertyStatus(
            self.model, self._properties, self.learner, Stop.FIRST_VIOLATION
        )
        self._chunk_walker = ChunkWalker(self.learner, ThreadPool(1))
        self._chunk_walker.while_learning = self._while_learning
        self._is_by_change = np.array(can_have_parts(self.learner), np.uint8)
        every = [function.instance for function in self.learner.functions]
        self._labels = [instance.label for instance in every]
        kinds = [instance.name for instance in every]
        self._kind_places = places_of(kinds)
        groups = [f"of {self._group(instance)}" for instance in every]
        self._group_places = places_of(groups)
        self._faults = np.array([name in self._fault_names for name in kinds], np.uint8)
        self._kind_numbers = group_numbers(kinds)
        self._keys: list[int] = []
        self._begun = 0
        rows = np.array([self.learner.row(start) for start in self.learner.starts])
        self._starts = rows, np.array(self.learner.fingerprints(rows), np.uint64)
        self._states = self._level_of_start(0)
        self._want()
        self._refresh()

    level = 0
    """To a `PropertyStatus`, the walk is a level of one state: number 0."""

    @property
    def path(self) -> PlanWalker[S]:
        """Source of traces: the walk itself."""
        return self

    def place_of(self, fingerprint: int) -> int:
        """The place of the one state."""
        return 0

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """The walk so far."""
        numbers = self._footsteps.steps[self._begun : self._footsteps.counts[1]]
        taken = [learner.steps[number] for number in numbers.tolist()]
        return learner.trace(learner.row(self._start), taken)

    def walk(self, plan: Plan) -> PlannedWalk[S]:
        """Take the walk of a plan; it ends with the first violation.

        Where it cannot go on, it begins anew with the choices that are left.

        Raises:
            FunctionRaised: if a function of the model raises.
            ModelError: if the model breaks the contract.
        """

        def walk(encoding: Encoding) -> PlannedWalk[S]:
            if encoding != self.learner.encoding:
                self._learn(encoding)
            return self._walk(plan)

        return until_found(walk, self.learner.encoding)

    def _walk(self, plan: Plan) -> PlannedWalk[S]:
        """The same, with the sets that are split now.

        Raises:
            EncodedOtherwise: if sets are to be split otherwise.
        """
        status = self.status
        if status.violations:
            status.violations.clear()
            self._want()
        steps = len(plan.choices)
        self._footsteps = Footsteps(
            choices=plan.choices,
            steps=np.zeros(steps, np.int32),
            fingerprints=np.zeros(steps, np.uint64),
            counts=np.zeros(3, np.int64),
        )
        self._begin(plan)
        self._go(plan)
        taken = int(self._footsteps.counts[1])
        self._steps += taken
        self._look_at_encoding(self._steps)
        return PlannedWalk(
            self._footsteps.fingerprints[:taken],
            self._footsteps.steps[:taken],
            plan.faults - int(self._footsteps.counts[2]),
            next(iter(status.violations.values()), None),
        )

    def _begin(self, plan: Plan) -> None:
        """Stand in an initial state, all faults still to come."""
        start = plan.salt % len(self.learner.starts)
        self._start = self.learner.starts[start]
        self._states = self._level_of_start(start)
        self._footsteps.counts[2] = plan.faults
        self._begun = int(self._footsteps.counts[1])

    def _level_of_start(self, start: int) -> Level:
        rows, fingerprints = self._starts
        part = slice(start, start + 1)
        wide = pack_rows(rows[part], room_of(self.learner.dictionaries))
        return fresh_level(
            wide, fingerprints[part].copy(), self.learner.tables.bits_of_all
        )

    def _go(self, plan: Plan) -> None:
        """Go on until the walk ends or something is violated."""
        status, chunk = self.status, self._chunk_walker.begin(0, 1)[0]
        leanings = self._leanings(plan)
        while True:
            why = follow(
                self._tables,
                self._states,
                self._wanted,
                self._judged,
                self._bounding,
                chunk.packed[0],
                chunk.packed[2],
                leanings,
                self._footsteps,
            )
            if why == ENDED:
                return
            if why == LACKING:
                if not self._chunk_walker.learn(self._states, [chunk]):
                    assert chunk.arrays.counters[MISSED], "something is lacking"
                    chunk.grow()
                elif self.learner.show_elements():
                    self._states.disabled[:] = 0
                self._refresh()
                leanings = self._leanings(plan)
            elif why == REPORTED_HERE:
                self._judge(chunk.arrays.notes)
                leanings = self._leanings(plan)
                chunk.begin(0, 1)
                self._want()
            elif why == DEADLOCKED and status.asks_for_deadlocks:
                self._judge(chunk.arrays.notes, is_stuck=True)
                leanings = self._leanings(plan)
            elif why == FORBIDDEN or self._footsteps.counts[1] > self._begun:
                self._begin(plan)
            else:
                return
            if status.are_enough:
                return

    def _judge(self, notes: U64Array, *, is_stuck: bool = False) -> None:
        status, found = self.status, self._chunk_walker.nothing()
        np.minimum(found.notes, notes, out=found.notes)
        if is_stuck:
            found.stuck = int(self._states.fingerprints[0])
        try:
            status.check_failures(found.notes, Role.CONSTRAINT, self)
            status.note_instances(found, self)
            if not status.are_enough:
                status.note_steps(found, self)
        finally:
            # To tell the run, what was forgotten may have been learned again.
            self._refresh()

    def _want(self) -> None:
        """Look at which instances matter, after a witness was reached."""
        status = self.status
        self._wanted = status.wanted(Role.PROPERTY, Role.ACTION)
        self._judged = status.wanted(Role.PROPERTY)
        self._bounding = status.wanted(Role.CONSTRAINT)

    def _refresh(self) -> None:
        """Look at the tables anew, after something was learned."""
        learner = self.learner
        self._tables = pack(self._chunk_walker.tables())
        rows = with_room(self._states.rows, learner.dictionaries)
        self._states = self._states._replace(rows=rows)
        self._keys += [
            _key(self._labels[instance], 0 if self._is_by_change[instance] else which)
            for instance, which in learner.steps[len(self._keys) :]
        ]
        self._of_steps = np.array([number for number, _ in learner.steps], np.intp)

    def _leanings(self, plan: Plan) -> Leanings:
        of = self._of_steps
        shifts = plan.shifts(self._kind_places) + plan.shifts(self._group_places)
        return Leanings(
            keys=np.array(self._keys, np.int64),
            is_by_change=self._is_by_change[of],
            kinds=self._kind_numbers[of],
            shifts=shifts[of],
            is_fault=self._faults[of],
            numbers=np.array([plan.salt, plan.weighs_kinds], np.int64),
        )


def _key(label: str, number: int) -> int:
    """The number that stands for a step on every machine."""
    return int.from_bytes(digest_bytes(f"{label} {number}".encode(), 7))
