"""The breadth-first engine: the naive search at the speed of compiled loops.

Level by level: the states of a level are expanded in chunks, each by one thread; what
the tables do not know is learned in between; the candidates are put into the visited
set part by part, each by one thread. Everything that is counted or chosen depends on
the fingerprints alone, so the threads leave no mark on the report.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Generic

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer import checkpoint, memory
from replicheck.explorer.checkpoint import Checkpoint, Progressed
from replicheck.explorer.engine import Progress, Search
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.expansion import Expander, Threads
from replicheck.explorer.findings import Failed, Findings, Here
from replicheck.explorer.identity import identity
from replicheck.explorer.instances import instances
from replicheck.explorer.keep import Keep
from replicheck.explorer.keeping import Keeper
from replicheck.explorer.learning import SAMPLE, Learner, Role
from replicheck.explorer.levels import NextLevel, first_level, fresh_level, row_type
from replicheck.explorer.model import Model, S, Symmetry
from replicheck.explorer.path import Path
from replicheck.explorer.properties import Property
from replicheck.explorer.report import (
    ActionCount,
    Failure,
    Report,
    in_order,
    outcomes_of,
    verdict_of,
)
from replicheck.explorer.symmetry import Reduction, check_symmetry
from replicheck.explorer.visited import Visited

Words = npt.NDArray[np.uint64]

GOING_ON = frozenset({"interrupted", "seconds", "memory", "disk"})
"""What cuts a search such that going on with it makes sense."""
REPLAYED = 50
"""States of a checkpoint to which the way is gone again."""


@frozen
class BreadthFirst:
    """Breadth-first over learned tables, one machine, several threads."""

    threads: int = 0
    """How many; 0 is one for each core."""
    sample: int = SAMPLE
    """One run of a model's function in so many is repeated and compared; 1 is all."""
    reduction: Reduction = Reduction.NONE
    keep: Keep | None = None
    """Where to keep checkpoints, if anywhere."""
    name: str = "breadth-first"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        threads = Threads(self.threads or os.cpu_count() or 1)
        try:
            run = _Run(model, properties, search, threads, self)
            run.begin()
            return run.run()
        finally:
            threads.close()

    def resume(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Go on from the checkpoint; the report is that of one uninterrupted search.

        A limit on seconds counts from here.

        Raises:
            CheckpointError: if it cannot be used, or is of another model or search.
            ModelError: if the model breaks the contract.
        """
        threads = Threads(self.threads or os.cpu_count() or 1)
        try:
            run = _Run(model, properties, search, threads, self)
            run.go_on()
            return run.run()
        finally:
            threads.close()


class _Cut(Exception):
    """A limit or the user ended the search before every state was expanded."""


class _Run(Generic[S]):
    """One search."""

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        threads: Threads,
        engine: BreadthFirst,
    ) -> None:
        self.model, self.search, self.threads = model, search, threads
        self.started = time.monotonic()
        self.seconds_before = 0.0
        self.symmetries: tuple[Symmetry, ...] = ()
        if engine.reduction is Reduction.SYMMETRY:
            self.symmetries = tuple(model.symmetries)
        self.learner = Learner(model, properties, self.symmetries, engine.sample)
        self.expander = Expander(self.learner, threads)
        self.findings = Findings(model, properties, self.learner, search.stop)
        self.keeper: Keeper | None = None
        if engine.keep is not None:
            self.keeper = Keeper(engine.keep, identity(self.learner, properties))
        self.visited = Visited()
        self.levels: list[int] = []
        self.generated = np.zeros(len(self.learner.functions), np.int64)
        self.enabled = np.zeros(len(self.learner.functions), np.int64)
        self.found: NextLevel | None = None
        self.exhausted = False

    def begin(self) -> None:
        """Make the initial states the first level."""
        starts = [self.learner.row(state) for state in self.learner.starts]
        of_starts = self.learner.prints(np.array(starts))
        by_print = dict(sorted(zip(of_starts, starts, strict=True), reverse=True))
        prints = sorted(by_print)
        rows = [by_print[printed] for printed in prints]
        self.path = Path(rows)
        self.visited.add_all(prints)
        width = self.learner.tables.width
        self.level = first_level(rows, prints, width, row_type(self.learner.domains))

    def go_on(self) -> None:
        """Make the states of the checkpoint the next level."""
        assert self.keeper is not None, "there is no folder to go on from"
        keep = self.keeper.keep
        kept, archive = checkpoint.read(keep.folder, self.keeper.identity, keep.recipe)
        self.keeper.archive = archive
        self.learner.adopt(kept.numbering)
        for run in archive.each_run():
            self.visited.load(run)
        self.path = Path(kept.starts, archive)
        self.level = fresh_level(kept.rows, kept.prints, self.learner.tables.width)
        done = kept.progressed
        self._require_same_states(len(done.levels) - 1)
        self.levels = list(done.levels[:-1])
        self.generated[:] = done.generated
        self.enabled[:] = done.enabled
        self.seconds_before = done.seconds
        self.findings.restore(done.sightings, self.path)

    def run(self) -> Report[S]:
        """Search until everything is decided, and report."""
        cut, failure = None, None
        try:
            self._search_levels()
        except _Cut as reason:
            cut = str(reason)
        except KeyboardInterrupt:
            cut = "interrupted"
        except Failed as failed:
            failure = failed.failure
        report = self._report(cut, failure)
        self._end(cut)
        return report

    def _search_levels(self) -> None:
        while len(self.level.prints):
            if self.keeper is not None and self.keeper.is_due:
                self._keep_or_cut(self.keeper)
            self.levels.append(len(self.level.prints))
            self._check_symmetry()
            if not self._expand():
                return
        self.exhausted = True

    def _check_symmetry(self) -> None:
        """Check the symmetries on one state of the level."""
        if self.symmetries:
            learner = self.learner
            state = learner.state(self.level.rows[0].tolist())
            check_symmetry(learner.layout, self.symmetries, learner.model, state)

    def _expand(self) -> bool:
        """Judge the level and go on to the next; False if the search ends here."""
        findings = self.findings
        here = Here(self.path, len(self.levels) - 1, self.level.prints)
        constraint_notes = self._judge_constraints()
        limit = self._limit()
        self.found = None if limit else self._next()
        expansion = self.expander.expand(
            self.level,
            findings.wanted(Role.CLAUSE, *(() if limit else (Role.ACTION,))),
            findings.wanted(Role.CLAUSE),
            self._glance,
            None if self.found is None else (self.found, self.visited),
            find_stuck=limit is None and findings.asks_for_deadlocks,
        )
        findings.note_clauses(expansion, here)
        if findings.are_enough:
            return False
        if self.found is None:
            raise _Cut(limit)
        if constraint_notes is not None:
            findings.check_failures(constraint_notes, Role.CONSTRAINT, here)
        findings.note_steps(expansion, here)
        if findings.are_enough:
            return False
        self.generated += expansion.generated
        self.enabled += expansion.enabled
        self._advance(self.found)
        return True

    def _advance(self, found: NextLevel) -> None:
        """Make what was found the level to be expanded."""
        del self.level
        self.level, parents, steps = found.finish(self.threads.each)
        self.found = None
        self.path.add(parents, steps)
        if self.path.archive is not None:
            self.path.archive.extend(prints=self.level.prints)
            self.path.archive.end_run()

    def _next(self) -> NextLevel:
        columns, width = self.level.rows.shape[1], self.level.disabled.shape[1]
        return NextLevel(columns, width, row_type(self.learner.domains))

    def _judge_constraints(self) -> Words | None:
        """Mark the states of the level that a constraint keeps from being expanded."""
        wanted = self.findings.wanted(Role.CONSTRAINT)
        if not wanted.any():
            return None
        self.level.cut[:] = 0
        return self.expander.expand(self.level, wanted, wanted, self._glance).notes

    def _keep_or_cut(self, keeper: Keeper) -> None:
        try:
            self._keep(keeper, len(self.levels))
        except OSError as error:
            raise _Cut("disk") from error

    def _keep(self, keeper: Keeper, complete: int) -> None:
        """Write a checkpoint from which the level at work will be expanded.

        Args:
            complete: how many levels have been expanded.
        """
        keeper.begin(self.visited, self.path, self.found)
        keeper.write(
            Checkpoint(
                Progressed(
                    [*self.levels[:complete], len(self.level.prints)],
                    self.generated.tolist(),
                    self.enabled.tolist(),
                    self.findings.sightings,
                    self._seconds,
                ),
                self.path.starts,
                self.learner.numbering,
                self.level.rows,
                self.level.prints,
            )
        )

    def _end(self, cut: str | None) -> None:
        """Leave a checkpoint if it makes sense to go on, and none otherwise."""
        if self.keeper is None:
            return
        if cut in GOING_ON:
            with suppress(OSError):
                self._keep(self.keeper, max(0, len(self.levels) - 1))
            self.keeper.close()
        else:
            self.keeper.remove()

    def _require_same_states(self, level: int) -> None:
        """Go the way to some states of the level again.

        Raises:
            CheckpointError: if it does not lead there.
        """
        assert self.keeper is not None
        count = len(self.level.prints)
        for place in range(0, count, max(1, count // REPLAYED)):
            try:
                state = self.path.trace(self.learner, level, place).states[-1]
                row = self.learner.row(state)
            except LookupError:
                row = None
            stored = self.level.rows[place]
            if row is None or set(self.learner.prints(np.array([row, stored]))) != {
                int(self.level.prints[place])
            }:
                raise CheckpointError(
                    f"the checkpoint in {self.keeper.keep.folder} is of another model:"
                    f" the run to state {place} of its level {level + 1} now leads"
                    " elsewhere; go on with the version that wrote it, or start again"
                )

    def _limit(self) -> str | None:
        """Return the limit that this level reaches, if any."""
        limits = self.search.limits
        if limits.depth is not None and len(self.levels) >= limits.depth:
            return "depth"
        if limits.states is not None and sum(self.levels) >= limits.states:
            return "states"
        return None

    def _glance(self, done: int) -> None:
        seconds = time.monotonic() - self.started
        self.search.watch(
            Progress(
                depth=len(self.levels),
                states=sum(self.levels),
                generated=int(self.generated.sum()),
                frontier=len(self.level.prints) - done,
                seconds=self._seconds,
                memory=memory.held(),
                levels=tuple(self.levels),
            )
        )
        limit = self.search.limits.seconds
        if limit is not None and seconds > limit:
            raise _Cut("seconds")

    def _report(self, cut: str | None, failure: Failure[S] | None) -> Report[S]:
        found = self.findings
        return Report(
            model=self.model.name,
            verdict=verdict_of(found.violations, cut, failure),
            levels=tuple(self.levels),
            actions=self._action_counts(),
            outcomes=outcomes_of(
                found.properties, found.violations, found.reached, self.exhausted
            ),
            violations=in_order(found.properties, found.violations),
            reached=found.reached,
            failure=failure,
            cut=cut,
            engine="breadth-first",
            seconds=self._seconds,
            details=self._details(),
        )

    @property
    def _seconds(self) -> float:
        """Return how long the search has taken, in all processes together."""
        return self.seconds_before + time.monotonic() - self.started

    def _action_counts(self) -> dict[str, ActionCount]:
        actions = instances(self.model.actions, self.model.domains)
        counts = {each.name: ActionCount() for each in actions}
        for number, learnt in enumerate(self.learner.functions):
            if learnt.role is Role.ACTION:
                name = learnt.instance.name
                so_far = counts[name]
                counts[name] = ActionCount(
                    so_far.generated + int(self.generated[number]),
                    so_far.enabled + int(self.enabled[number]),
                )
        return counts

    def _details(self) -> dict[str, Any]:
        effort, tables = self.expander.effort, self.learner.tables
        return {
            "threads": [round(seconds, 3) for seconds in self.threads.seconds],
            "walking": effort.walking,
            "learning": effort.learning,
            "inserting": effort.inserting,
            "walks": effort.walks,
            "leaves": tables.leaf_count,
            "visited": self.visited.size,
            "path": self.path.size,
            "tables": tables.size,
        }
