"""Differences that were looked into, as data: which cells, why, what comes of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import cattrs
from attrs import frozen

from replicheck.cli.conformance.conditions import CONDITIONS, AnyStep
from replicheck.cli.conformance.differences import Difference

LISTED = Path(__file__).with_name("known_differences.toml")


class Effect(Enum):
    """What becomes of a run in which a known difference is met."""

    GOES_ON = "goes on"
    ENDS_THE_RUN = "ends the run"
    FETCH_AGAIN = "fetch again"
    SAME_ORDER = "same order"


@frozen
class KnownDifference:
    """A difference with its reason.

    ``cells`` are patterns; ``actions``, ``model``, ``kafka``, ``condition`` and
    ``versions`` narrow it down, if they are given.
    """

    name: str
    cells: tuple[str, ...]
    effect: Effect
    rule: str
    reason: str
    actions: tuple[str, ...] = ()
    model: tuple[Any, ...] = ()
    kafka: tuple[Any, ...] = ()
    condition: str = ""
    versions: tuple[str, ...] = ()

    def is_of(self, kafka: str) -> bool:
        """Tell whether a version of Kafka has it."""
        return not self.versions or kafka in self.versions

    def explains(self, found: Difference, step: AnyStep | None, kafka: str) -> bool:
        """Tell whether a difference after a step is this one."""
        if not self.is_of(kafka):
            return False
        if not any(fnmatchcase(found.cell, pattern) for pattern in self.cells):
            return False
        if self.actions and (step is None or step.action not in self.actions):
            return False
        if self.model and found.model not in self.model:
            return False
        if self.kafka and found.kafka not in self.kafka:
            return False
        return not self.condition or CONDITIONS[self.condition](found, step)


@frozen
class Judgement:
    """Differences of one step: which are known, and which are not explained."""

    known: tuple[KnownDifference, ...] = ()
    unexplained: tuple[Difference, ...] = ()

    def has(self, effect: Effect) -> bool:
        """Tell whether a known difference of this effect is among them."""
        return any(known.effect is effect for known in self.known)

    def ends_the_run(self) -> bool:
        """Tell whether states stay apart: for good, or after all fetches."""
        return self.has(Effect.ENDS_THE_RUN) or self.has(Effect.FETCH_AGAIN)


@frozen
class Register:
    """All known differences."""

    entries: Sequence[KnownDifference] = ()

    @classmethod
    def shipped(cls, file: Path = LISTED) -> Register:
        """The known differences that come with the project: of brokers, or a file's."""
        listed = tomllib.loads(file.read_text("utf-8"))
        tables = listed["difference"]
        return cls([cattrs.structure(table, KnownDifference) for table in tables])

    def explain(
        self, found: Iterable[Difference], step: AnyStep | None, kafka: str
    ) -> Judgement:
        """Sort differences into known ones and others."""
        known, unexplained = [], []
        for difference in found:
            match = self._match(difference, step, kafka)
            if match is None:
                unexplained.append(difference)
            elif match not in known:
                known.append(match)
        return Judgement(tuple(known), tuple(unexplained))

    def _match(
        self, difference: Difference, step: AnyStep | None, kafka: str
    ) -> KnownDifference | None:
        matches = (e for e in self.entries if e.explains(difference, step, kafka))
        return next(matches, None)
