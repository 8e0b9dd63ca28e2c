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


@frozen
class Property:
    """A named claim. Its name is the name of its predicate."""

    name: str
    kind: Kind
    predicate: Predicate | None = None

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
