"""Claims about runs that go on for ever."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from attrs import frozen

from replicheck.model.modelling.errors import error_at

Predicate = Callable[..., bool]


@frozen
class RunClaim:
    """Claim about runs: each fair one from some state on fulfils a condition for ever.

    With a ``goal``: whenever a fair run fulfils the condition, it fulfils the goal then
    or later.
    """

    condition: Predicate
    goal: Predicate | None = None

    @property
    def name(self) -> str:
        """The name under which reports speak of it."""
        if self.goal is None:
            return self.condition.__name__
        return f"{self.condition.__name__}_leads_to_{self.goal.__name__}"

    @property
    def summary(self) -> str:
        """The claim in one or two lines."""
        first = _first_line(self.condition)
        if self.goal is None:
            return f"From some state on, for ever: {first}"
        return f"Whenever: {first} Then, at some time: {_first_line(self.goal)}"

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """Its predicates of a state."""
        return (self.condition,) if self.goal is None else (self.condition, self.goal)


def leads_to(condition: Predicate, goal: Predicate) -> RunClaim:
    """The claim that a condition leads to a goal.

    Raises:
        ModellingError: if the goal has a parameter that the condition does not have.
    """
    known = [*inspect.signature(condition).parameters][1:]
    for name in [*inspect.signature(goal).parameters][1:]:
        if name not in known:
            raise error_at(
                goal,
                f"{goal.__name__} has the parameter {name}, which"
                f" {condition.__name__} does not have: what leads to a goal has all of"
                " its parameters, by the same names",
            )
    return RunClaim(condition, goal)


def _first_line(function: Predicate) -> str:
    """The first line of a docstring, or the name, as a sentence."""
    line = (function.__doc__ or function.__name__).strip().partition("\n")[0]
    return line if line.endswith((".", "!", "?")) else f"{line}."
