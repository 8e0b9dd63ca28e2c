"""Properties: what is claimed of every state, of some state, or of every step."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Domains, Predicate


class Kind(Enum):
    """What a property is about."""

    ALWAYS = "always"
    """A predicate that every reachable state fulfils: an invariant."""
    SOMETIMES = "sometimes"
    """A predicate that some reachable state fulfils: a witness."""
    STEP = "step"
    """A predicate of two states that every step fulfils: before and after."""
    DEADLOCK = "deadlock"
    """The claim that some action is enabled in every reachable state."""
    LEADS_TO = "leads_to"
    """Two predicates: in a fair run a state that fulfils the first is, or is followed
    by, one that fulfils the second."""
    EVENTUALLY_ALWAYS = "eventually_always"
    """A predicate that from some state on every state of a fair run fulfils."""


LIVENESS = (Kind.LEADS_TO, Kind.EVENTUALLY_ALWAYS)
"""The kinds that are about runs for ever."""


@frozen
class Property:
    """A named claim. Its name is the name of its predicate.

    Of a claim that something leads to something, ``goal`` is what it leads to.
    """

    name: str
    kind: Kind
    predicate: Predicate | None = None
    goal: Predicate | None = None

    def instances(self, domains: Domains) -> tuple[Instance, ...]:
        """Its instances: the predicate for each choice of parameters."""
        if self.predicate is None:
            return ()
        states = 2 if self.kind is Kind.STEP else 1
        return instances([self.predicate], domains, states)


def require_distinct_names(properties: Iterable[Property]) -> None:
    """Refuse two properties of one name: a report knows them by their names.

    Raises:
        ModelError: naming the first such name.
    """
    known: dict[str, Property] = {}
    for claim in properties:
        if known.setdefault(claim.name, claim) != claim:
            raise ModelError(
                f"two properties are called `{claim.name}`: give each predicate a name"
                " of its own"
            )


def always(predicate: Predicate) -> Property:
    """Claim that ``predicate(state, *parameters)`` is true in every reachable state."""
    return Property(predicate.__name__, Kind.ALWAYS, predicate)


def sometimes(predicate: Predicate) -> Property:
    """Claim that ``predicate(state, *parameters)`` is true in a reachable state."""
    return Property(predicate.__name__, Kind.SOMETIMES, predicate)


def every_step(predicate: Predicate) -> Property:
    """Claim that ``predicate(before, after, *parameters)`` is true for every step."""
    return Property(predicate.__name__, Kind.STEP, predicate)


def no_deadlock() -> Property:
    """Claim that every reachable state that is expanded has an enabled action."""
    return Property("no_deadlock", Kind.DEADLOCK)


def leads_to(condition: Predicate, goal: Predicate) -> Property:
    """Claim that what fulfils a condition is, or is followed by, what fulfils a goal.

    It is claimed of fair runs. The goal has no parameters but those of the condition.
    """
    name = f"{condition.__name__}_leads_to_{goal.__name__}"
    return Property(name, Kind.LEADS_TO, condition, goal)


def eventually_always(predicate: Predicate) -> Property:
    """Claim that from some state on every state of a fair run fulfils a predicate."""
    return Property(predicate.__name__, Kind.EVENTUALLY_ALWAYS, predicate)
