"""The answer of a search: verdict, counts, and a trace for each violated property."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Generic

from attrs import field, frozen

from replicheck.explorer.model import S
from replicheck.explorer.properties import LIVENESS, Kind, Property
from replicheck.explorer.statistics import Statistics


class Verdict(Enum):
    """What a search found out about all its properties together."""

    HOLDS = "holds"
    """Every reachable state was visited and no property is violated."""
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"
    """Nothing was found; a limit, a constraint or the user kept states from it."""
    ERROR = "error"
    """A function of the model raised."""


class Outcome(Enum):
    """What a search found out about one property."""

    HOLDS = "holds"
    VIOLATED = "violated"
    REACHED = "reached"
    UNREACHED = "unreached"
    UNDECIDED = "undecided"
    """Not violated or reached so far, and the search did not visit every state."""


@frozen
class Step(Generic[S]):
    """An action, its arguments by name, and the state that it led to."""

    action: str
    arguments: Mapping[str, object]
    state: S

    @property
    def label(self) -> str:
        """The step as a call, such as ``fetch(leader=0, follower=2)``."""
        inside = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.action}({inside})" if inside else self.action


@frozen
class Trace(Generic[S]):
    """A run of the model: an initial state and the steps from it."""

    start: S
    steps: tuple[Step[S], ...] = ()

    @property
    def states(self) -> tuple[S, ...]:
        """Every state of the run, the initial one first."""
        return (self.start, *(step.state for step in self.steps))


@frozen
class Violation(Generic[S]):
    """A property that does not hold, the instance that broke, and a shortest run.

    For a state property the last state of the trace breaks it; for a step property
    the last step; for a deadlock the last state has no enabled action. For a claim
    about runs for ever, ``loop`` is the place, among the states of the trace, of the
    state from which the rest repeats for ever; where that is the last one, the run
    stands still.
    """

    property: str
    kind: Kind
    instance: str
    trace: Trace[S]
    loop: int | None = None


@frozen
class Failure(Generic[S]):
    """A function of the model raised ``message`` in the last state of the trace.

    ``place`` is the file and line where, if they are known.
    """

    function: str
    message: str
    trace: Trace[S]
    place: str = field(default="", eq=False)


@frozen
class ActionCount:
    """How often an action, over all its parameters, led somewhere.

    ``generated`` counts its steps, ``enabled`` the pairs of a state and a choice of
    parameters in which it has a step.
    """

    generated: int = 0
    enabled: int = 0


@frozen
class Report(Generic[S]):
    """What an engine found. Equal for all engines, but for the last four fields.

    ``depth`` counts states on the longest shortest path, the initial one included;
    ``levels[i]`` is the number of distinct states first reached by ``i`` steps;
    ``generated`` counts steps, those that lead to known states included;
    ``violations`` come in the order of the properties; ``reached`` holds, for each
    witness that was reached, a shortest run to it. Where a function raises while the
    states of a level are judged, or expanded, the rest of what that found is left out.
    """

    model: str
    verdict: Verdict
    levels: tuple[int, ...]
    actions: Mapping[str, ActionCount]
    outcomes: Mapping[str, Outcome]
    violations: tuple[Violation[S], ...] = ()
    reached: Mapping[str, Trace[S]] = field(factory=dict)
    failure: Failure[S] | None = None
    cut: str | None = None
    """Which limit ended the search before every state was expanded, or None."""
    constrained: Mapping[str, int] = field(factory=dict)
    """For each constraint, how many states of whole levels it kept from expansion."""
    engine: str = field(default="", eq=False)
    seconds: float = field(default=0.0, eq=False)
    others: tuple[Violation[S], ...] = field(default=(), eq=False)
    """Violations of the same properties by other last actions."""
    statistics: Statistics = field(factory=Statistics, eq=False)
    """What the engine measured: coverage, memory, learning."""

    @property
    def states(self) -> int:
        """The number of distinct states."""
        return sum(self.levels)

    @property
    def depth(self) -> int:
        """The number of levels."""
        return len(self.levels)

    @property
    def generated(self) -> int:
        """The number of steps, initial states not counted."""
        return sum(count.generated for count in self.actions.values())


def verdict_of(
    violations: Mapping[str, Violation[S]],
    cut: str | None,
    constrained: Mapping[str, int],
    failure: Failure[S] | None,
) -> Verdict:
    """The verdict of a search; a failure of the model outranks a violation.

    What lies beyond a constraint was not seen, so nothing holds there.
    """
    if failure is not None:
        return Verdict.ERROR
    if violations:
        return Verdict.VIOLATED
    is_whole = cut is None and not any(constrained.values())
    return Verdict.HOLDS if is_whole else Verdict.INCOMPLETE


def in_order(
    properties: Iterable[Property], violations: Mapping[str, Violation[S]]
) -> tuple[Violation[S], ...]:
    """The violations in the order in which their properties were given."""
    names = dict.fromkeys(claim.name for claim in properties)
    return tuple(violations[name] for name in names if name in violations)


def outcomes_of(
    properties: Iterable[Property],
    violations: Mapping[str, Violation[S]],
    reached: Mapping[str, Trace[S]],
    exhausted: bool,
) -> dict[str, Outcome]:
    """Outcome of each property; only a search of all states decides all.

    What is claimed of runs for ever no search of states decides.
    """
    outcomes = {}
    for claim in properties:
        if claim.name in violations:
            outcomes[claim.name] = Outcome.VIOLATED
        elif claim.name in reached:
            outcomes[claim.name] = Outcome.REACHED
        elif not exhausted or claim.kind in LIVENESS:
            outcomes[claim.name] = Outcome.UNDECIDED
        elif claim.kind is Kind.SOMETIMES:
            outcomes[claim.name] = Outcome.UNREACHED
        else:
            outcomes[claim.name] = Outcome.HOLDS
    return outcomes
