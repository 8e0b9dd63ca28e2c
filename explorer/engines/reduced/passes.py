"""Passes: reduced searches, one after the other, until one is the search.

Each pass begins at the initial states, selects steps by what was known when it began,
and learns. The first one that learns nothing is the search, if it missed no witness
that no other has found; the others are thrown away, but for the runs to witnesses.
Where a pass leaves out too little, or each would learn something, none is the search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Generic

from attrs import evolve, frozen

from replicheck.explorer.engine import Limits, Progress, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reduced.witnesses import Witnesses
from replicheck.explorer.engines.simulation.shrinking import MOST_STATES, shrink
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.report import Report, Trace, Violation
from replicheck.explorer.search.bookkeeping import SearchStopped

REPLACED = "replaced"
"""Why a whole search stopped that a reduced one took the place of."""
FIRST_PASS = 64
"""States of the first pass, about."""
GROWTH = 3
"""So many times as large a pass is allowed to be as the one before."""
ENOUGH_STATES = 5_000
"""States of a pass that tell whether leaving out steps is worth its time."""
MOST_PASSES = 100
"""So many passes at most: one that goes on learning has not come to an end by then."""
MOST_WALKS = 2_000
"""So many random walks look for a witness that a pass has missed."""
MOST_TAKEN = 0.75
"""The part of the steps that a pass may take of states in which all was known."""


@frozen(eq=False)
class Pass(Generic[S]):
    """One pass: what it reports, how it selected steps, and what it learned.

    ``learned`` is how many leaves; ``is_decided`` tells whether all was decided before
    the pass came to its end, ``is_vain`` that each pass would learn something again.
    """

    report: Report[S]
    counts: SelectionCounts
    learned: int
    is_decided: bool
    is_vain: bool = False


def require_no_constraints(model: Model[S]) -> None:
    """Refuse a model with constraints, which cut runs in two.

    Raises:
        ModelError: if it has one.
    """
    if model.constraints:
        raise ModelError(
            f"the model {model.name} has constraints, and a reduced search takes steps"
            " in another order, beyond which a constraint may cut: search without"
            " --reduce"
        )


def learned_nothing(learned: int, counts: SelectionCounts) -> bool:
    """Tell whether a pass selected all its steps by what is known after it, too."""
    return learned == 0 and counts.unknown == 0


def leaves_out_too_little(counts: SelectionCounts, states: int) -> bool:
    """Tell whether a pass of so many states took most of the steps all the same.

    Steps of states in which something was not known could not be left out.
    """
    enabled = counts.enabled - counts.unknown_steps
    taken = counts.taken - counts.unknown_steps
    return states >= ENOUGH_STATES and taken > MOST_TAKEN * enabled


class Passes(Generic[S]):
    """The passes of one search.

    Args:
        reduce_beyond: states up to which a search leaves out nothing, unless a limit
            would cut it.
        run: runs a pass within the limits that it is given, which may miss the claims
            of these names.
        threads: those of the searches that make runs short.
    """

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        reduce_beyond: int,
        threads: int,
        run: Callable[[Search, frozenset[str]], Pass[S]],
    ) -> None:
        self._model, self._properties = model, properties
        self._search = evolve(search, watch=self._watch)
        self._user_watch, self._progress = search.watch, Progress(0, 0, 0, 0, 0.0)
        self._threads, self._run = threads, run
        limit = search.limits.states
        self._most_whole: float = (
            reduce_beyond if limit is None else min(reduce_beyond, limit - 1)
        )
        self._witnesses: Witnesses[S] = Witnesses.of(properties)
        self.started = time.monotonic()
        """When the search began, on the monotonic clock."""
        self._report: Report[S] | None = None

    @property
    def whole(self) -> Search:
        """The whole search, within the limits that were asked for."""
        return self._within(self._search.limits.states)

    def report(self, whole: Report[S]) -> Report[S]:
        """The report of the pass that is the search, or else of the whole search."""
        return self._timed(whole, 0) if self._report is None else self._report

    def are_due(self, states: int) -> bool:
        """Tell, once, that a whole search is about to have so many states too many."""
        if states <= self._most_whole:
            return False
        self._most_whole = math.inf
        return True

    def take_its_place(self, reached: Mapping[str, Trace[S]]) -> None:
        """Run pass after pass in the place of a whole search, which may go on then.

        Args:
            reached: the witnesses of the whole search.

        Raises:
            SearchStopped: if the last pass is the search.
        """
        most, limit = FIRST_PASS, self._search.limits.states
        self._witnesses.add(reached)
        for _ in range(MOST_PASSES):
            within = self._within(most if limit is None else min(most, limit))
            done = self._run(within, self._witnesses.optional)
            report = done.report
            self._witnesses.add(report.reached)
            is_short = report.cut == "states" and not self._is_limit(report.states)
            if not is_short and self._is_the_search(done):
                self._report = self._finished(
                    report, done.counts.enabled - done.counts.taken
                )
                raise SearchStopped(REPLACED)
            if done.is_vain or leaves_out_too_little(done.counts, report.states):
                return
            if is_short:
                most *= GROWTH

    def _is_the_search(self, done: Pass[S]) -> bool:
        """Whether a pass that was not too short is the last one.

        If it is not, since it missed what it could have reached, the next may not.
        """
        report = done.report
        if report.cut or report.failure or done.is_decided:
            return True
        if not learned_nothing(done.learned, done.counts):
            return False
        self._walk_to(self._witnesses.missed)
        missed = self._witnesses.missed
        self._witnesses.optional -= missed
        return not missed

    def _walk_to(self, names: frozenset[str]) -> None:
        """Look for witnesses of some claims by random walks.

        Raises:
            KeyboardInterrupt: if the user ends them, and so the search.
        """
        if not names:
            return
        claims = [claim for claim in self._properties if claim.name in names]
        limits = WalkLimits(walks=MOST_WALKS, seconds=self._seconds_left)
        found = simulate(
            self._model,
            claims,
            lambda functions: Uniform(),
            limits=limits,
            watch=lambda walked: self._look_again(),
        )
        if found.cut == "interrupted":
            raise KeyboardInterrupt
        self._witnesses.add(found.reached)

    def _watch(self, progress: Progress) -> None:
        """Let the user see the passes."""
        self._progress = progress
        self._user_watch(progress)

    def _look_again(self) -> None:
        """Let the user end what runs beside the passes, of which nothing is shown."""
        self._user_watch(self._progress)

    def _within(self, states: int | None) -> Search:
        """The search with a limit of so many states, and the time that is left."""
        limits = evolve(self._search.limits, states=states, seconds=self._seconds_left)
        return evolve(self._search, limits=limits)

    @property
    def _seconds_left(self) -> float | None:
        """How much of the limit on time is left; None if there is none."""
        seconds = self._search.limits.seconds
        if seconds is None:
            return None
        return max(0.0, seconds - (time.monotonic() - self.started))

    def _finished(self, report: Report[S], left_out: int) -> Report[S]:
        """The report of a reduced search, with all witnesses and short runs."""
        found = self._witnesses.added_to(report)
        return self._timed(
            evolve(
                found,
                violations=tuple(map(self._shortened, found.violations)),
                reached=self._short_runs(found.reached),
            ),
            left_out,
        )

    def _timed(self, report: Report[S], left_out: int) -> Report[S]:
        """A report with the steps that were left out, and the time of all passes."""
        return evolve(
            report,
            statistics=evolve(report.statistics, left_out=left_out),
            seconds=time.monotonic() - self.started,
        )

    def _shortened(self, violation: Violation[S]) -> Violation[S]:
        """A violation of the same property by a run that is not longer."""
        claim = next(c for c in self._properties if c.name == violation.property)
        return shrink(
            self._model,
            claim,
            violation,
            self._threads,
            while_trying=self._look_again,
        )

    def _short_runs(self, reached: Mapping[str, Trace[S]]) -> dict[str, Trace[S]]:
        """For each witness the shorter one of two runs, its own and a search's."""
        most = max((len(trace.steps) for trace in reached.values()), default=0)
        if most == 0:
            return dict(reached)
        witnesses = [claim for claim in self._properties if claim.name in reached]
        search = Search(
            Limits(states=MOST_STATES, depth=most),
            Stop.DECIDED,
            lambda progress: self._look_again(),
        )
        engine = BreadthFirst(self._threads)
        found = engine.explore(self._model, witnesses, search).reached
        return {
            name: min(trace, found.get(name, trace), key=lambda run: len(run.steps))
            for name, trace in reached.items()
        }

    def _is_limit(self, states: int) -> bool:
        """Whether so many states are as many as the search may visit."""
        limit = self._search.limits.states
        return limit is not None and states >= limit
