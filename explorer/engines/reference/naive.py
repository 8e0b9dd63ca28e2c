"""The naive engine: a breadth-first search that is obviously right, and slow.

It is the oracle of every other engine. Each level is visited in the order of the
fingerprints, so the first step to find a state comes from the least predecessor: that
makes the shortest traces canonical.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Generic

from attrs import define, evolve, field, frozen

from replicheck.explorer.engine import Limits, Progress, Search, Stop
from replicheck.explorer.engines.reference.known_states import KnownStates
from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.evaluation import Raised, call, steps_of
from replicheck.explorer.interpreter.vacuity import Premises
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import (
    ActionCount,
    Failure,
    Report,
    Step,
    Trace,
    Violation,
    in_order,
    outcomes_of,
    verdict_of,
)
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import initial_states
from replicheck.explorer.states.shared_cells import shared
from replicheck.explorer.statistics import Coverage, Statistics

PROGRESS_EVERY = 1024
"""States between two looks at the clock."""


@frozen
class Naive:
    """Breadth-first over hashable states, one machine, one thread."""

    name: str = "naive"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        return NaiveSearch(model, properties, search, self.name).run()


class _Cut(Exception):
    """A limit or the user ended the search before every state was expanded."""


@define
class _Counts:
    generated: dict[str, int] = field(factory=dict)
    enabled: dict[str, int] = field(factory=dict)

    def add(self, action: str, steps: int) -> None:
        self.generated[action] = self.generated.get(action, 0) + steps
        self.enabled[action] = self.enabled.get(action, 0) + (steps > 0)


class NaiveSearch(Generic[S]):
    """One search. ``parents`` maps every state to the step that first led to it."""

    def __init__(
        self, model: Model[S], properties: Sequence[Property], search: Search, name: str
    ) -> None:
        self.model, self.search, self.name = model, search, name
        self.actions = instances(model.actions, model.domains)
        self.constraints = instances(model.constraints, model.domains)
        self.instances = {claim: claim.instances(model.domains) for claim in properties}
        self.parents: dict[S, tuple[S, Instance] | None] = {}
        self.known = KnownStates[S]()
        self.levels: list[int] = []
        self.counts = _Counts()
        self.premises = Premises(properties)
        self.cuts = Counter(
            dict.fromkeys((constraint.name for constraint in self.constraints), 0)
        )
        """How many states each constraint cut, of the levels that are expanded."""
        self.violations: dict[str, Violation[S]] = {}
        self.reached: dict[str, Trace[S]] = {}
        self._settle()
        self.exhausted = False
        self.started = time.monotonic()

    def run(self) -> Report[S]:
        cut, failure = None, None
        try:
            self._search_levels()
        except _Cut as reason:
            cut = str(reason)
        except KeyboardInterrupt:
            cut = "interrupted"
        except Raised as raised:
            self.violations, self.reached = self.settled
            trace = self._trace_to(raised.state)
            failure = Failure(raised.function, str(raised), trace, raised.place)
        return self._report(cut, failure)

    def _search_levels(self) -> None:
        states, layout = initial_states(self.model)
        fingerprint = Fingerprinter(layout).of
        level = sorted(filter(self.known.add, states), key=fingerprint)
        self.parents.update(dict.fromkeys(level))
        while level:
            self.levels.append(len(level))
            self._judge(level)
            self._settle()
            if self._finished():
                return
            self._check_limits()
            found = self._expand(level)
            if found is None:
                return
            self._settle()
            level = sorted(found, key=fingerprint)
            self.parents.update(found)
        self.exhausted = not any(self.cuts.values())

    def _settle(self) -> None:
        """Keep what was found, even if a function raises later."""
        self.settled = dict(self.violations), dict(self.reached)

    def _judge(self, level: list[S]) -> None:
        """Look for the first state of the level that decides each open property."""
        open_ones = self._open(Kind.ALWAYS, Kind.SOMETIMES)
        for number, state in enumerate(level):
            self._report_progress(number, len(level))
            for claim in open_ones:
                for instance in self.instances[claim]:
                    answer = call(instance, state)
                    if self.premises.are_open(claim.name):
                        self.premises.show(claim.name, instance.values, state)
                    if claim.kind is Kind.ALWAYS and not answer:
                        self._violate(claim, instance.label, self._trace_to(state))
                    if claim.kind is Kind.SOMETIMES and answer:
                        self.reached.setdefault(claim.name, self._trace_to(state))

    def _expand(self, level: list[S]) -> dict[S, tuple[S, Instance] | None] | None:
        """The states of the next level, or None if the search ends here."""
        found: dict[S, tuple[S, Instance] | None] = {}
        counts = _Counts(dict(self.counts.generated), dict(self.counts.enabled))
        step_properties = [claim for claim in self.instances if claim.kind is Kind.STEP]
        cuts = Counter(self.cuts)
        for number, state in enumerate(self._uncut(level, cuts)):
            self._report_progress(number, len(level))
            stuck = True
            for action in self.actions:
                steps = list(steps_of(action, state))
                counts.add(action.name, len(steps))
                for after in steps:
                    stuck = False
                    self._judge_step(step_properties, state, action, after)
                    if self._is_new(after, action):
                        found[after] = (state, action)
            if stuck:
                self._judge_deadlock(state)
        if self._finished():
            return None
        self.counts, self.cuts = counts, cuts
        return found

    def _is_new(self, after: S, action: Instance) -> bool:
        """Add a state to which an action leads; tell whether it is new."""
        try:
            return self.known.add(after)
        except ModelError as error:
            error.is_about(action.function)
            raise

    def _uncut(self, level: list[S], cuts: Counter[str]) -> list[S]:
        """The states that every constraint lets expand; the others are counted."""
        uncut = []
        for state in level:
            broken = {
                constraint.name
                for constraint in self.constraints
                if not call(constraint, state)
            }
            cuts.update(broken)
            if not broken:
                uncut.append(state)
        return uncut

    def _open(self, *kinds: Kind) -> list[Property]:
        return [
            claim
            for claim in self.instances
            if claim.kind in kinds
            and claim.name not in self.violations
            and claim.name not in self.reached
        ]

    def _judge_step(
        self, step_properties: list[Property], before: S, action: Instance, after: S
    ) -> None:
        judged = shared(before, after) if step_properties else after
        for claim in step_properties:
            for instance in self.instances[claim]:
                answer = call(instance, before, judged)
                if self.premises.are_open(claim.name):
                    self.premises.show(claim.name, instance.values, before, judged)
                if not answer:
                    trace = self._trace_to(before)
                    last = Step(action.name, dict(action.arguments), after)
                    trace = evolve(trace, steps=(*trace.steps, last))
                    self._violate(claim, instance.label, trace)

    def _judge_deadlock(self, state: S) -> None:
        for claim in self.instances:
            if claim.kind is Kind.DEADLOCK:
                self._violate(claim, claim.name, self._trace_to(state))

    def _violate(self, broken: Property, instance: str, trace: Trace[S]) -> None:
        """Keep the first violation of each property."""
        violation = Violation(broken.name, broken.kind, instance, trace)
        self.violations.setdefault(broken.name, violation)

    def _finished(self) -> bool:
        if self.search.stop is Stop.EXHAUSTED:
            return False
        if self.search.stop is Stop.FIRST_VIOLATION or not self.violations:
            return bool(self.violations)
        return all(
            claim.name in self.violations or claim.name in self.reached
            for claim in self.instances
        )

    def _check_limits(self) -> None:
        limits: Limits = self.search.limits
        if limits.depth is not None and len(self.levels) >= limits.depth:
            raise _Cut("depth")
        if limits.states is not None and sum(self.levels) >= limits.states:
            raise _Cut("states")

    def _report_progress(self, number: int, size: int) -> None:
        if number % PROGRESS_EVERY:
            return
        seconds = time.monotonic() - self.started
        self.search.watch(
            Progress(
                depth=len(self.levels),
                states=sum(self.levels),
                generated=sum(self.counts.generated.values()),
                frontier=size - number,
                seconds=seconds,
                levels=tuple(self.levels),
            )
        )
        limit = self.search.limits.seconds
        if limit is not None and seconds > limit:
            raise _Cut("seconds")

    def _trace_to(self, state: S) -> Trace[S]:
        steps: list[Step[S]] = []
        parent = self.parents[state]
        while parent is not None:
            before, action = parent
            steps.append(Step(action.name, dict(action.arguments), state))
            state, parent = before, self.parents[before]
        return Trace(state, tuple(reversed(steps)))

    def _report(self, cut: str | None, failure: Failure[S] | None) -> Report[S]:
        names = dict.fromkeys(action.name for action in self.actions)
        return Report(
            model=self.model.name,
            verdict=verdict_of(self.violations, cut, self.cuts, failure),
            levels=tuple(self.levels),
            actions={
                name: ActionCount(
                    self.counts.generated.get(name, 0), self.counts.enabled.get(name, 0)
                )
                for name in names
            },
            outcomes=outcomes_of(
                self.instances, self.violations, self.reached, self.exhausted
            ),
            violations=in_order(self.instances, self.violations),
            reached=self.reached,
            failure=failure,
            cut=cut,
            constrained=dict(self.cuts),
            engine=self.name,
            seconds=time.monotonic() - self.started,
            statistics=Statistics(coverage=Coverage(dict(self.premises.held))),
        )
