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
class PropertyVerdict:
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
        """Whether a search would report it; a witness may be false here."""
        return self.kind is not Kind.SOMETIMES and not self.is_true


@frozen
class Judge:
    """The clauses of every property but that on deadlocks."""

    clauses: tuple[tuple[Property, tuple[Instance, ...]], ...]

    @classmethod
    def of(cls, properties: Sequence[Property], domains: Domains) -> Judge:
        """The judge of these properties."""
        judged = [claim for claim in properties if claim.predicate is not None]
        return cls(tuple((claim, claim.instances(domains)) for claim in judged))

    def verdicts(self, before: Any | None, state: Any) -> list[PropertyVerdict]:
        """Verdict of each property; without a step before, only of the state."""
        return [
            _verdict(claim, clauses, (before, state))
            for claim, clauses in self.clauses
            if claim.kind is not Kind.STEP or before is not None
        ]

    def broken(self, before: Any, state: Any) -> list[str]:
        """The names of the properties that a step breaks anew."""
        known = {
            verdict.claim for verdict in self.verdicts(None, before) if verdict.is_bad
        }
        found = [
            verdict.claim for verdict in self.verdicts(before, state) if verdict.is_bad
        ]
        return [name for name in found if name not in known]


def _verdict(
    claim: Property, clauses: Sequence[Instance], step: tuple[Any, Any]
) -> PropertyVerdict:
    before, after = step
    states = (before, shared(before, after)) if claim.kind is Kind.STEP else (after,)
    wanted = claim.kind is Kind.SOMETIMES
    told = tuple(clause.label for clause in clauses if bool(clause(*states)) is wanted)
    return PropertyVerdict(claim.name, claim.kind, bool(told) is wanted, told)
