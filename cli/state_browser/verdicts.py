"""What the properties of a scenario say of one state, and of the step to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property


@frozen
class PropertyVerdict:
    """Whether a property is true here; ``claim`` is its name.

    ``instances`` are, where it is not, those that broke; where a witness is true, those
    that it meets.
    """

    claim: str
    kind: Kind
    is_true: bool
    instances: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Tell whether a search would report it; a witness may be false here."""
        return self.kind is not Kind.SOMETIMES and not self.is_true


class PropertyJudges:
    """What every property but that on deadlocks says of states and steps."""

    def __init__(self, model: Model[Any], properties: Sequence[Property]) -> None:
        judged = [claim for claim in properties if claim.predicate is not None]
        self.judges = [Judge(model, claim) for claim in judged]

    def verdicts(self, before: Any | None, state: Any) -> list[PropertyVerdict]:
        """Verdict of each property; without a step before, only of the state."""
        return [
            _verdict(judge, before, state)
            for judge in self.judges
            if judge.claim.kind is not Kind.STEP or before is not None
        ]

    def broken(self, before: Any, state: Any) -> list[str]:
        """Names of the properties that a step breaks anew."""
        known, found = (
            [verdict.claim for verdict in verdicts if verdict.is_bad]
            for verdicts in (self.verdicts(None, before), self.verdicts(before, state))
        )
        return [name for name in found if name not in known]


def _verdict(judge: Judge, before: Any | None, state: Any) -> PropertyVerdict:
    claim = judge.claim
    wanted = claim.kind is Kind.SOMETIMES
    instances = judge.instances_that_say(wanted, before, state)
    told = tuple(instance.label for instance in instances)
    return PropertyVerdict(claim.name, claim.kind, bool(told) is wanted, told)
