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
from typing import Any, Generic

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from replicheck.explorer import memory
from replicheck.explorer.engine import Progress, Search, Stop
from replicheck.explorer.expansion import Expander, Expansion, Threads
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.kernels import (
    BROKEN_STEP,
    FAILURE,
    NOTE,
    NOTHING_NOTED,
    Level,
)
from replicheck.explorer.learning import SAMPLE, Learner, Role
from replicheck.explorer.levels import NextLevel, first_level
from replicheck.explorer.model import Model, S
from replicheck.explorer.path import Path
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import (
    ActionCount,
    Failure,
    Report,
    Step,
    Trace,
    Violation,
    outcomes_of,
    verdict_of,
)
from replicheck.explorer.visited import Visited

Words = npt.NDArray[np.uint64]


@frozen
class BreadthFirst:
    """Breadth-first over learned tables, one machine, several threads."""

    threads: int = 0
    """How many; 0 is one for each core."""
    sample: int = SAMPLE
    """One run of a model's function in so many is repeated and compared; 1 is all."""
    name: str = "breadth-first"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        threads = Threads(self.threads or os.cpu_count() or 1)
        try:
            return _Run(model, properties, search, threads, self.sample).run()
        finally:
            threads.close()


class _Cut(Exception):
    """A limit or the user ended the search before every state was expanded."""


class _Failed(Exception):
    """A function of the model raised; the search ends with this failure."""

    def __init__(self, failure: Failure[Any]) -> None:
        super().__init__(failure.message)
        self.failure = failure


class _Run(Generic[S]):
    """One search."""

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        threads: Threads,
        sample: int,
    ) -> None:
        self.model, self.search = model, search
        self.properties = tuple(properties)
        self.started = time.monotonic()
        self.threads = threads
        self.learner = Learner(model, properties, sample=sample)
        self.expander = Expander(self.learner, threads)
        self.visited = Visited()
        self.levels: list[int] = []
        self.generated = np.zeros(len(self.learner.functions), np.int64)
        self.enabled = np.zeros(len(self.learner.functions), np.int64)
        self.violations: dict[str, Violation[S]] = {}
        self.reached: dict[str, Trace[S]] = {}
        self.exhausted = False

    def run(self) -> Report[S]:
        cut, failure = None, None
        try:
            self._search_levels()
        except _Cut as reason:
            cut = str(reason)
        except KeyboardInterrupt:
            cut = "interrupted"
        except _Failed as failed:
            failure = failed.failure
        return self._report(cut, failure)

    def _search_levels(self) -> None:
        self.level = self._first()
        while len(self.level.prints):
            self.levels.append(len(self.level.prints))
            self._judge_constraints()
            into = None if self._limit() else self._next()
            actions = () if into is None else (Role.ACTION,)
            expansion = self.expander.expand(
                self.level,
                self._wanted(Role.CLAUSE, *actions),
                self._wanted(Role.CLAUSE),
                self._glance,
                into,
                find_stuck=into is not None and self._asks_for_deadlocks(),
            )
            self._note_clauses(expansion)
            if self._finished():
                return
            if into is None:
                raise _Cut(self._limit())
            self._note_steps(expansion)
            if self._finished():
                return
            self.generated += expansion.generated
            self.enabled += expansion.enabled
            self.level, parents, steps = into[0].finish()
            self.path.add(parents, steps)
        self.exhausted = True

    def _first(self) -> Level:
        """Return the level of the initial states and put it into the visited set."""
        rows = sorted({self.learner.row(state) for state in self.learner.starts})
        prints = self.learner.prints(np.array(rows))
        by_print = sorted(zip(prints, rows, strict=True))
        self.path = Path([row for _, row in by_print])
        self.visited.add_all(prints)
        return first_level(rows, prints, self.learner.tables.width)

    def _next(self) -> tuple[NextLevel, Visited]:
        columns, width = self.level.rows.shape[1], self.level.disabled.shape[1]
        dtype = self.level.rows.dtype
        return NextLevel(columns, width, dtype), self.visited

    def _judge_constraints(self) -> None:
        """Mark the states of the level that a constraint keeps from being expanded."""
        wanted = self._wanted(Role.CONSTRAINT)
        if not wanted.any():
            return
        self.level.cut[:] = 0
        self.constraint_notes = self.expander.expand(
            self.level, wanted, wanted, self._glance
        ).notes

    def _wanted(self, *roles: Role) -> Words:
        """Return the bit set of the instances of some roles whose answer matters."""
        wanted = np.zeros(self.learner.tables.width, np.uint64)
        for number, learnt in enumerate(self.learner.functions):
            decided = learnt.property is not None and self._is_decided(learnt.property)
            if learnt.role in roles and not decided:
                wanted[number >> 6] |= np.uint64(1 << (number & 63))
        return wanted

    def _note_clauses(self, expansion: Expansion) -> None:
        """Note what predicates found; a predicate that raised ends the search."""
        self._check_failures(expansion.notes[FAILURE], Role.CLAUSE)
        least: dict[Property, int] = {}
        for number, learnt in enumerate(self.learner.functions):
            noted = expansion.notes[NOTE, number]
            if learnt.property is not None and noted != NOTHING_NOTED:
                known = least.get(learnt.property, int(noted))
                least[learnt.property] = min(known, int(noted))
        for claim, printed in least.items():
            trace = self._trace_to(printed)
            if claim.kind is Kind.SOMETIMES:
                self.reached[claim.name] = trace
            else:
                clause = self._first_clause(claim, trace.states[-1])
                self._violate(claim, clause, trace)

    def _note_steps(self, expansion: Expansion) -> None:
        """Note what steps broke; a function that raised ends the search."""
        if self._wanted(Role.CONSTRAINT).any():
            self._check_failures(self.constraint_notes[FAILURE], Role.CONSTRAINT)
        self._check_failures(expansion.notes[FAILURE], Role.ACTION)
        for number, claim in enumerate(self.learner.step_properties):
            notes = expansion.notes[BROKEN_STEP + number]
            if self._is_decided(claim) or (notes == NOTHING_NOTED).all():
                continue
            instance = int(np.argmin(notes))
            self._note_broken_step(claim, instance, int(notes[instance]))
        if expansion.stuck is not None:
            for claim in self.properties:
                if claim.kind is Kind.DEADLOCK and not self._is_decided(claim):
                    self._violate(claim, claim.name, self._trace_to(expansion.stuck))

    def _note_broken_step(self, claim: Property, instance: int, printed: int) -> None:
        trace = self._trace_to(printed)
        action, before = self.learner.functions[instance].instance, trace.states[-1]
        for after in action(before):
            for clause in claim.instances(self.model.domains):
                if not clause(before, after):
                    last = Step(action.name, dict(action.arguments), after)
                    whole = evolve(trace, steps=(*trace.steps, last))
                    self._violate(claim, clause.label, whole)
                    return

    def _check_failures(self, notes: Words, role: Role) -> None:
        numbers = [
            number
            for number, learnt in enumerate(self.learner.functions)
            if learnt.role is role and notes[number] != NOTHING_NOTED
        ]
        if not numbers:
            return
        least = min(numbers, key=lambda number: (int(notes[number]), number))
        trace = self._trace_to(int(notes[least]))
        function, message = self._exception(
            self.learner.functions[least].instance, role, trace.states[-1]
        )
        raise _Failed(Failure(function, message, trace))

    def _exception(self, instance: Instance, role: Role, state: S) -> tuple[str, str]:
        """Run the function again on the plain state and say what it raises."""
        label = instance.label
        try:
            if role is not Role.ACTION:
                instance(state)
            for after in list(instance(state)) if role is Role.ACTION else ():
                for claim in self.learner.step_properties:
                    for clause in claim.instances(self.model.domains):
                        label = clause.label
                        clause(state, after)
        except Exception as error:
            return label, f"{type(error).__name__}: {error}"
        return label, "an exception that it catches itself on a plain state"

    def _first_clause(self, claim: Property, state: S) -> str:
        clauses = claim.instances(self.model.domains)
        return next(clause.label for clause in clauses if not clause(state))

    def _violate(self, claim: Property, clause: str, trace: Trace[S]) -> None:
        self.violations[claim.name] = Violation(claim.name, claim.kind, clause, trace)

    def _trace_to(self, printed: int) -> Trace[S]:
        place = int(np.searchsorted(self.level.prints, np.uint64(printed)))
        return self.path.trace(self.learner, len(self.levels) - 1, place)

    def _is_decided(self, claim: Property) -> bool:
        return claim.name in self.violations or claim.name in self.reached

    def _asks_for_deadlocks(self) -> bool:
        return any(claim.kind is Kind.DEADLOCK for claim in self.properties)

    def _finished(self) -> bool:
        if self.search.stop is Stop.FIRST_VIOLATION or not self.violations:
            return bool(self.violations)
        return all(self._is_decided(claim) for claim in self.properties)

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
                seconds=seconds,
                memory=memory.held(),
                levels=tuple(self.levels),
            )
        )
        limit = self.search.limits.seconds
        if limit is not None and seconds > limit:
            raise _Cut("seconds")

    def _report(self, cut: str | None, failure: Failure[S] | None) -> Report[S]:
        return Report(
            model=self.model.name,
            verdict=verdict_of(self.violations, cut, failure),
            levels=tuple(self.levels),
            actions=self._action_counts(),
            outcomes=outcomes_of(
                self.properties, self.violations, self.reached, self.exhausted
            ),
            violations=tuple(self.violations.values()),
            reached=self.reached,
            failure=failure,
            cut=cut,
            engine="breadth-first",
            seconds=time.monotonic() - self.started,
            details=self._details(),
        )

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
