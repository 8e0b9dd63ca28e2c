"""Premise reads: what is asked of cells only to tell whether a premise holds.

A step property may be about steps that change a cell, and not about one that writes
what the cell has. So it is read whether a step changes it. What the action does, and
whether that breaks the property, is the same in both cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from attrs import define, field

from replicheck.explorer.interpreter.vacuity import Premises

QueryAndClaim = tuple[int, str]


@define
class RunPremises:
    """What one run has asked for premises alone so far."""

    claim: str = ""
    """The claim for the premise of which it is read now."""
    claims: dict[int, dict[str, None]] = field(factory=dict)
    """By query, in their order, the claims for the premises of which it was asked."""

    @contextmanager
    def reading(self, claim: str) -> Iterator[None]:
        """Context in which only the premise of a claim depends on what is read."""
        self.claim = claim
        try:
            yield
        finally:
            self.claim = ""

    def asked(self, query: int) -> None:
        """Note a query that was not asked before in the run, where a claim reads."""
        self.claims[query] = {self.claim: None}

    def used(self, query: int) -> None:
        """Note that something depends on an answer that was given before."""
        if not self.claim:
            self.claims.pop(query, None)
        elif query in self.claims:
            self.claims[query][self.claim] = None

    def needed(self, query: int) -> None:
        """Note that more than a premise depends on a query."""
        self.claims.pop(query, None)

    @property
    def found(self) -> tuple[QueryAndClaim, ...]:
        """The queries, each with every claim."""
        return tuple(
            (q, claim) for q, claims in self.claims.items() for claim in claims
        )


@define
class PremiseReads:
    """What one function asked for the premises of claims, and for anything else."""

    _claims: dict[int, set[str]] = field(factory=dict)
    _others: set[int] = field(factory=set)

    def note(
        self, reads: Iterable[tuple[int, int]], for_premises: Iterable[QueryAndClaim]
    ) -> None:
        """Note the reads of a run, queries with answers, and those for premises."""
        asked = set[int]()
        for query, claim in for_premises:
            self._claims.setdefault(query, set()).add(claim)
            asked.add(query)
        self._others.update([query for query, _ in reads if query not in asked])

    def are_settled(self, query: int, premises: Premises) -> bool:
        """Tell whether a query was asked for premises alone, all of which have held."""
        if query in self._others or query not in self._claims:
            return False
        return not any(map(premises.are_open, self._claims[query]))
