"""Common knowledge: what one process has learned, and what is known to all."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from attrs import evolve

from replicheck.explorer.engines.partitioned.exchange.element_numbering import (
    ElementNumbering,
)
from replicheck.explorer.engines.partitioned.exchange.known_file import (
    KnownFile,
    read_known_file,
)
from replicheck.explorer.engines.partitioned.exchange.learned_paths import (
    LearnedPath,
    SharedPath,
    learn_path,
    learned_path,
    note_reads,
    number_reads,
)
from replicheck.explorer.engines.partitioned.exchange.messages import (
    SearchSpec,
    WorkerUpdate,
)
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    ValueNumbering,
)
from replicheck.explorer.engines.partitioned.store.store import Piece, Store
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.states.symmetry import renamings_of
from replicheck.explorer.states.value_parts import FILTERED
from replicheck.explorer.tables.leaves import RecordedRun


def learner_of(spec: SearchSpec) -> Learner:
    """A learner that knows nothing yet.

    It asks nothing that cannot be sent to other workers, such as the filter of a loop.
    """
    renamings = renamings_of(spec.model, spec.reduction)
    learner = Learner(
        spec.model, spec.properties, renamings, spec.sample, spec.encoding
    )
    learner.read_whole_for(FILTERED)
    return learner


class CommonKnowledge:
    """Keeps what the learner of one process knows in step with all others."""

    def __init__(self, learner: Learner, store: Store) -> None:
        self._name = uuid4().hex
        self._learner, self._store = learner, store
        self.numbering = ValueNumbering(learner.dictionaries)
        sets = [] if learner.split is None else list(learner.split.sets.values())
        self._elements = ElementNumbering(sets)
        self.levels_with_new_elements: set[int] = set()
        """Their states may have elements that no state of a level before has."""
        self._unshown: int | None = None
        """The level whose states may have elements that are not shown yet, if any."""
        self._unshared: dict[int, LearnedPath] = {}
        """What it has learned that is not known to all, in the order of learning."""
        self._learned = self._files = 0
        learner.on_learned = self._hear
        learner.on_conflict = self._hear_of_conflict
        self._taken: set[int] = set()
        """Instances of which the tables may have paths of other processes."""
        self._otherwise: set[int] = set()
        """Instances that read in another order here; see `_hear_of_conflict`."""

    @property
    def update(self) -> WorkerUpdate:
        """Worker update: everything it has found that not all workers know."""
        numbering = self.numbering
        premises = frozenset(self._learner.premises.names_held)
        return WorkerUpdate(
            self._name,
            numbering.counts,
            numbering.unnumbered,
            self._elements.unnumbered,
            dict(self._unshared),
            premises,
            bool(self._otherwise),
        )

    def catch_up(self, known: Sequence[Piece], level: int) -> None:
        """Learn what was agreed on since the last time, for work on a level.

        Raises:
            CheckpointError: if a file is not as it was written.
            EncodedOtherwise: if a set has more elements than columns.
        """
        for piece in known[self._files :]:
            known_file = read_known_file(self._store.read(piece), piece.name)
            self._show_elements(known_file.level - 1)
            if known_file.elements:
                self._forget_writes(self._elements.add(known_file.elements))
                self._unshown = known_file.level
                self.levels_with_new_elements.add(known_file.level)
            self.numbering.add(known_file.values)
            numbers = number_reads(self._learner, known_file.reads)
            self._take(numbers, known_file.paths)
            self._files += 1
        self._show_elements(level)

    def take_over(self, known: Sequence[KnownFile]) -> None:
        """Learn what another search has learned, as if it were this process's own.

        Every element that it had is shown.
        """
        for known_file in known:
            self._show_elements(known_file.level - 1)
            if known_file.elements:
                self._elements.meet(known_file.elements)
                self._unshown = known_file.level
            self._take_over(known_file)
        if known:
            self._show_elements(known[-1].level)

    def _take_over(self, known: KnownFile) -> None:
        """Learn the values and paths of a file."""
        self.numbering.meet(known.values)
        numbers = number_reads(self._learner, known.reads)
        for path in known.paths:
            if path.path.instance not in self._otherwise:
                self._learn_of_another(path, numbers)
                reads = tuple(known.reads[n] for n in path.indices)
                self._share(evolve(path.path, reads=reads))

    def _take(
        self, numbers: Sequence[tuple[int, int]], paths: Sequence[SharedPath]
    ) -> None:
        """Learn what this process has not learned itself."""
        for path in paths:
            instance = path.path.instance
            if self._name in path.learned_by:
                self._unshared.pop(path.learned_by[self._name], None)
            elif instance in self._otherwise:
                note_reads(self._learner, path.path)
            else:
                self._learn_of_another(path, numbers)

    def _learn_of_another(
        self, path: SharedPath, numbers: Sequence[tuple[int, int]]
    ) -> None:
        """Learn what another process has learned, unless it reads in another order."""
        instance = path.path.instance
        self._taken.add(instance)
        learn_path(self._learner, path.path, [numbers[n] for n in path.indices])
        if instance in self._otherwise:
            self._learner.tables.forget({instance})

    def _hear_of_conflict(self, instance: int) -> bool:
        """Forget what others learned of an instance that reads in another order here.

        A loop over a set may do so: equal sets are iterated in one order in each
        process, which need not be that of another one. From now on this process learns
        the instance by itself.
        """
        if instance not in self._taken:
            return False
        self._taken.remove(instance)
        self._otherwise.add(instance)
        self._learner.tables.forget({instance})
        return True

    def _show_elements(self, level: int) -> None:
        """Show the elements that states up to a level may have.

        Each of them has an agreed place: all that a process finds on a level is found
        by those whose results count.
        """
        if self._unshown is not None and self._unshown <= level:
            self._unshown = None
            self._forget(self._learner.show_elements())

    def _forget_writes(self, columns: set[int]) -> None:
        """Forget the instances that write columns which are other elements' now."""
        sets = enumerate(self._learner.read_write_sets)
        stale = {n for n, known in sets if not columns.isdisjoint(known.writes)}
        if stale:
            self._learner.tables.forget(stale)
            self._forget(stale)

    def _forget(self, instances: set[int]) -> None:
        """Send to no other process what was learned of some instances."""
        for number, path in list(self._unshared.items()):
            if path.instance in instances:
                del self._unshared[number]

    def _hear(self, instance: int, run: RecordedRun) -> None:
        self._share(learned_path(self._learner, instance, run))

    def _share(self, path: LearnedPath) -> None:
        self._unshared[self._learned] = path
        self._learned += 1
