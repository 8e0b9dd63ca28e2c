"""What a violation needs of each bound, and whether less is enough."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from replicheck.cli.results.result import require_uninterrupted
from replicheck.cli.saved_traces.loaded_trace import LoadedTrace, ModelChanged
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace, Verdict
from replicheck.invariants.catalogue.own.plain_describer import names_of_budgets
from replicheck.traces.printable_text import printable_line

Needs = Mapping[str, int]
"""How much of each bound a run uses up."""


@frozen
class Attempt:
    """A search with one less of a bound: what it came to, in words.

    ``needs`` is what the run that it found needs, if any; ``is_none`` says that there
    is no such run at all.
    """

    name: str
    text: str
    needs: Needs | None = None
    is_none: bool = False


@frozen
class SmallerBounds:
    """Searches for a run to the same violation that needs less.

    A run that needs less of anything and no more of the rest is within the bounds of
    one that has one less of something. So one search for each bound decides whether
    there is such a run.
    """

    run: LoadedTrace
    claim: Property
    limit: int
    """Each search ends after so many states."""

    def lines(self, trace: Trace[Any]) -> Iterator[str]:
        """Yield the needs of a run, and each attempt with less, until none succeeds."""
        bounds = self.run.header.bounds
        if not self.run.describer.left(trace.start):
            yield "Needs: not known, for the model does not say what is left of bounds."
            yield f"      {self._how_to_know()}"
            return
        before = self._needs(trace.start, bounds)
        needs: Needs | None = self._needs(trace.states[-1], bounds)
        yield f"Needs: {self._listed(needs)}."
        while needs is not None:
            attempts = []
            for name in [name for name, number in needs.items() if number > 0]:
                is_needed_before = needs[name] == before[name]
                attempts.append(
                    Attempt(name, "the steps before the run need it", is_none=True)
                    if is_needed_before
                    else self._with_less(needs, name)
                )
                yield f"      with {name} {needs[name] - 1}: {attempts[-1].text}"
            smaller = [
                attempt.needs for attempt in attempts if attempt.needs is not None
            ]
            needs = smaller[0] if smaller else None
            if needs is not None:
                yield f"Less is enough: {self._listed(needs)}."
            elif attempts:
                yield from _conclusion(attempts)

    def _how_to_know(self) -> str:
        """What tells the needs of a run of a model that does not say them."""
        system, header = self.run.system, self.run.header
        if header.setup or not names_of_budgets(system.bounds):
            return (
                "`replicheck ways` finds the faults that a violation needs, where the"
                " bounds declare how often each may happen: `budget(…)`."
            )
        claim = system.references.get(self.claim.name, self.claim.name)
        words = ["replicheck", "ways", self.run.name, claim]
        words += ["--protocol", self.run.protocol.name]
        words += ["--initial", header.initial] if header.initial else []
        bounds = [f"{name}={value}" for name, value in header.bounds.items()]
        words += ["--bounds", ",".join(bounds)]
        return f"The faults that it needs: {printable_line(shlex.join(words))}"

    def _needs(self, state: Any, bounds: Mapping[str, int]) -> Needs:
        """Use of the bounds in a state."""
        left = self.run.describer.left(state)
        return {
            name: bounds[name] - rest
            for name, rest in left.items()
            if self.run.header.bounds.get(name)
        }

    def _listed(self, needs: Needs | None) -> str:
        bounds = self.run.header.bounds
        listed = [f"{name} {n} of {bounds[name]}" for name, n in (needs or {}).items()]
        return ", ".join(listed) or "no fault"

    def _with_less(self, needs: Needs, name: str) -> Attempt:
        """Attempt of a search within one less of a bound."""
        bounds = {**needs, name: needs[name] - 1}
        try:
            model = self.run.model(**bounds)
        except ModelChanged as error:
            return Attempt(name, f"there is no such instance: {error}", is_none=True)
        try:
            limits = Search(Limits(states=self.limit))
            report = require_uninterrupted(
                BreadthFirst().explore(model, [self.claim], limits)
            )
        except ModelError as error:
            return Attempt(name, f"cannot be searched: {error}")
        if report.verdict is Verdict.VIOLATED:
            states = report.violations[0].trace.states
            text = f"violated as well, after {len(states)} states"
            return Attempt(name, text, self._needs(states[-1], bounds))
        if report.verdict is Verdict.HOLDS:
            return Attempt(
                name, f"not violated in all {report.states:,} states", is_none=True
            )
        if report.failure is not None:
            failure = report.failure
            return Attempt(name, f"{failure.function} raised {failure.message}")
        return Attempt(
            name, f"not violated in the first {report.states:,} states, then cut"
        )


def _conclusion(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Yield the conclusion on runs that need less, where no attempt found one."""
    known = [attempt.name for attempt in attempts if attempt.is_none]
    unknown = [attempt.name for attempt in attempts if not attempt.is_none]
    if known:
        less = " or ".join(known)
        yield f"No run with less of {less}, and no more of the rest, violates it."
    if unknown:
        yield f"Undecided: whether one with less of {' or '.join(unknown)} does."
