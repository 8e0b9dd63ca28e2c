"""Common knowledge: what one process has learned, and what is known to all."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from attrs import evolve

from replicheck.explorer.engines.partitioned.exchange.known_file import (
    KnownFile,
    read_known_file,
)
from replicheck.explorer.engines.partitioned.exchange.learned_paths import (
    LearnedPath,
    SharedPath,
    learn_path,
    learned_path,
    number_reads,
)
from replicheck.explorer.engines.partitioned.exchange.messages import WorkerUpdate
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    ValueNumbering,
)
from replicheck.explorer.engines.partitioned.store.store import Piece, Store
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.tables.leaves import RecordedRun


class CommonKnowledge:
    """Keeps what the learner of one process knows in step with all others."""

    def __init__(self, learner: Learner, store: Store) -> None:
        self._name = uuid4().hex
        self._learner, self._store = learner, store
        self.numbering = ValueNumbering(learner.dictionaries)
        self._unshared: dict[int, LearnedPath] = {}
        """What it has learned that is not known to all, in the order of learning."""
        self._learned = self._files = 0
        learner.on_learned = self._hear

    @property
    def update(self) -> WorkerUpdate:
        """Worker update: everything it has found that not all workers know."""
        numbering = self.numbering
        premises = frozenset(self._learner.premises.names_held)
        return WorkerUpdate(
            self._name,
            numbering.counts,
            numbering.unnumbered,
            dict(self._unshared),
            premises,
        )

    def catch_up(self, known: Sequence[Piece]) -> None:
        """Learn what was agreed on since the last time.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        for piece in known[self._files :]:
            known_file = read_known_file(self._store.read(piece), piece.name)
            self.numbering.add(known_file.values)
            numbers = number_reads(self._learner, known_file.reads)
            self._take(numbers, known_file.paths)
            self._files += 1

    def take_over(self, known: KnownFile) -> None:
        """Learn what another search has learned, as if it were this process's own."""
        self.numbering.meet(known.values)
        numbers = number_reads(self._learner, known.reads)
        for path in known.paths:
            learn_path(self._learner, path.path, [numbers[n] for n in path.indices])
            reads = tuple(known.reads[n] for n in path.indices)
            self._share(evolve(path.path, reads=reads))

    def _take(
        self, numbers: Sequence[tuple[int, int]], paths: Sequence[SharedPath]
    ) -> None:
        """Learn what this process has not learned itself."""
        for path in paths:
            if self._name in path.learned_by:
                self._unshared.pop(path.learned_by[self._name], None)
            else:
                learn_path(self._learner, path.path, [numbers[n] for n in path.indices])

    def _hear(self, instance: int, run: RecordedRun) -> None:
        self._share(learned_path(self._learner, instance, run))

    def _share(self, path: LearnedPath) -> None:
        self._unshared[self._learned] = path
        self._learned += 1
