"""Scenarios and suites as values: what to check, and what is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, gt, optional

Name = str
Names = tuple[Name, ...]
Range = tuple[int, int]
"""The least and the greatest value of a bound."""

StopName = Literal["first-violation", "decided", "exhausted"]
VerdictName = Literal["holds", "violated", "incomplete"]


@frozen
class LimitTable:
    """When a search is cut; None is never. ``memory`` and ``disk`` are bytes."""

    states: int | None = field(default=None, validator=optional(ge(1)))
    depth: int | None = field(default=None, validator=optional(ge(1)))
    seconds: float | None = field(default=None, validator=optional(gt(0)))
    memory: int | None = field(default=None, validator=optional(ge(1)))
    disk: int | None = field(default=None, validator=optional(ge(1)))


@frozen
class Expectation:
    """What a search must find to count as a success.

    ``violations`` gives for each property that must be violated the length of its
    shortest trace in states, the initial one included. ``states`` and ``depth`` are
    those of the whole search; None is any.
    """

    verdict: VerdictName
    violations: Mapping[Name, int] = field(factory=dict)
    states: int | None = field(default=None, validator=optional(ge(1)))
    depth: int | None = field(default=None, validator=optional(ge(1)))


@frozen
class Scenario:
    """One model under one protocol within bounds, and what is claimed of it.

    A search begins in the model's initial state, or the one with the name ``initial``,
    after the steps of ``setup``. ``sequence`` is one run from there, step by step.
    ``liveness`` are its claims about runs for ever, none unless it names some.
    ``reductions`` are those that are on; the run of ``sequence`` is taken without any.
    ``dead_actions`` and ``unreached`` name the actions that no state enables and the
    witnesses that no state fulfils, where that is meant to be so; ``vacuous`` the
    invariants and step properties whose premise never holds. None is that nothing is
    said of premises.
    ``ranges`` has the bounds that a fuzzer may choose, each within its range.
    """

    name: Name
    summary: str
    model: Name
    protocol: Name
    bounds: Mapping[str, int] = field(factory=dict)
    invariants: Names = ()
    steps: Names = ()
    witnesses: Names = ()
    liveness: Names = ()
    stop: StopName = "first-violation"
    limits: LimitTable = LimitTable()
    dead_actions: Names = ()
    unreached: Names = ()
    vacuous: Names | None = None
    expect: Expectation | None = None
    initial: Name = ""
    setup: Names = ()
    sequence: Names = ()
    ranges: Mapping[str, Range] = field(factory=dict)
    reductions: Names = ()

    @property
    def properties(self) -> Names:
        """The names of all its properties."""
        return self.safety + self.liveness

    @property
    def safety(self) -> Names:
        """The names of its properties of states and steps."""
        return self.invariants + self.steps + self.witnesses


@frozen
class Suite:
    """Several scenarios, checked in this order."""

    name: Name
    summary: str
    scenarios: Sequence[Scenario]


def suite_of(name: str, scenario: Scenario) -> Suite:
    """A suite of one scenario, under the name by which a user asked for it."""
    return Suite(name, scenario.summary, (scenario,))
