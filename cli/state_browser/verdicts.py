"""What the properties of a scenario say of one state, and of the step to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.model import Domains
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.states.shared_cells import shared


@frozen
class Verdict:
    """Whether a property is true here; ``claim`` is its name.

    ``clauses`` are, where it is not, those that broke; where a witness is true, those
    that it meets.
    """

    claim: str
    kind: Kind
    is_true: bool
    clauses: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Tell whether a search would report it; a witness may be false here."""
        return self.kind is not Kind.SOMETIMES and not self.is_true


@frozen
class Judge:
    """The clauses of every property but that on deadlocks."""

    clauses: tuple[tuple[Property, tuple[Instance, ...]], ...]

    @classmethod
    def of(cls, properties: Sequence[Property], domains: Domains) -> Judge:
        """Return the judge of these properties."""
        judged = [each for each in properties if each.predicate is not None]
        return cls(tuple((each, each.instances(domains)) for each in judged))

    def verdicts(self, before: Any | None, state: Any) -> list[Verdict]:
        """Return what each property says; without a step before, only of the state."""
        return [
            _verdict(claim, clauses, (before, state))
            for claim, clauses in self.clauses
            if claim.kind is not Kind.STEP or before is not None
        ]

    def broken(self, before: Any, state: Any) -> list[str]:
        """Return the names of the properties that a step breaks anew."""
        known = {each.claim for each in self.verdicts(None, before) if each.is_bad}
        found = [each.claim for each in self.verdicts(before, state) if each.is_bad]
        return [each for each in found if each not in known]


def _verdict(
    claim: Property, clauses: Sequence[Instance], step: tuple[Any, Any]
) -> Verdict:
    before, after = step
    states = (before, shared(before, after)) if claim.kind is Kind.STEP else (after,)
    wanted = claim.kind is Kind.SOMETIMES
    told = tuple(each.label for each in clauses if bool(each(*states)) is wanted)
    return Verdict(claim.name, claim.kind, bool(told) is wanted, told)
