"""Witnesses that the passes of a reduced search, and random walks, have reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from attrs import define, evolve

from replicheck.explorer.model import S
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Outcome, Report, Trace


@define
class Witnesses(Generic[S]):
    """Witnesses: runs by which a search or a pass has reached what is claimed.

    Most claims are reached on the way. So a pass may miss those that are ``optional``,
    by name; all are, until a pass that learned nothing, and random walks, missed them.
    """

    reached: dict[str, Trace[S]]
    optional: frozenset[str]

    @classmethod
    def of(cls, properties: Sequence[Property]) -> Witnesses[S]:
        """No witness yet of the claims among properties."""
        claims = (claim for claim in properties if claim.kind is Kind.SOMETIMES)
        return cls({}, frozenset(claim.name for claim in claims))

    def add(self, reached: Mapping[str, Trace[S]]) -> None:
        """Keep the first run to each witness."""
        self.reached = {**reached, **self.reached}

    @property
    def missed(self) -> frozenset[str]:
        """The optional claims that none has reached."""
        return self.optional.difference(self.reached)

    def added_to(self, report: Report[S]) -> Report[S]:
        """The report of a pass, with what others have reached."""
        outcomes = dict.fromkeys(self.reached, Outcome.REACHED)
        return evolve(
            report,
            reached=self.reached,
            outcomes={**report.outcomes, **outcomes},
        )
