"""Questions about elections: all within a number of brokers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

from attrs import frozen

from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.vocabulary import BrokerId

Brokers = tuple[BrokerId, ...]


@frozen
class Condition:
    """What the controller knows of a broker, and of its replica's directory."""

    is_live: bool = True
    is_shutting_down: bool = False
    is_on_offline_dir: bool = False


CONDITIONS = tuple(
    Condition(live, stops, offline)
    for live, stops in ((True, False), (True, True), (False, False))
    for offline in (False, True)
)
"""A broker that is not live does not shut down either."""


@frozen
class ElectionQuestion:
    """Who is to lead a partition, by what the controller knows and what is stored."""

    strategy: Strategy
    assignment: Brokers
    removing: Brokers
    isr: frozenset[BrokerId]
    conditions: tuple[Condition, ...]

    @property
    def live(self) -> Brokers:
        """Brokers that are live, be it that they shut down."""
        return self._brokers(lambda condition: condition.is_live)

    @property
    def shutting_down(self) -> Brokers:
        """Brokers that shut down."""
        return self._brokers(lambda condition: condition.is_shutting_down)

    @property
    def on_offline_dirs(self) -> Brokers:
        """Brokers whose replica is known to be on an offline directory."""
        return self._brokers(lambda condition: condition.is_on_offline_dir)

    def _brokers(self, has: Any) -> Brokers:
        found = (i for i, condition in enumerate(self.conditions) if has(condition))
        return tuple(BrokerId(number) for number in found)

    def form(self) -> dict[str, Any]:
        """The question as the harness takes it."""
        return {
            "strategy": self.strategy.name,
            "assignment": self.assignment,
            "removing": self.removing,
            "isr": sorted(self.isr),
            "live": self.live,
            "shutting_down": self.shutting_down,
            "offline": self.on_offline_dirs,
        }

    def __str__(self) -> str:
        told = (f"{name}={value}" for name, value in self.form().items())
        return ", ".join(told)


def questions(brokers: int) -> Iterator[ElectionQuestion]:
    """Every question about so many brokers, each assigned one in every condition.

    An ISR is not empty and has assigned brokers only. Replicas go only where a
    reassignment is asked about, and one of them stays.
    """
    ids = tuple(BrokerId(number) for number in range(brokers))
    for size in range(1, brokers + 1):
        for assignment in permutations(ids, size):
            for conditions in _conditions(assignment, brokers):
                for isr in _subsets(assignment, 1, size):
                    yield from _asked(assignment, conditions, frozenset(isr))


def _asked(
    assignment: Brokers, conditions: tuple[Condition, ...], isr: frozenset[BrokerId]
) -> Iterator[ElectionQuestion]:
    for strategy in Strategy:
        most = len(assignment) - 1 if strategy is Strategy.REASSIGN else 0
        for removing in _subsets(assignment, 0, most):
            yield ElectionQuestion(strategy, assignment, removing, isr, conditions)


def _conditions(assignment: Brokers, brokers: int) -> Iterator[tuple[Condition, ...]]:
    """Conditions of assigned brokers; all other brokers are live."""
    for chosen in product(CONDITIONS, repeat=len(assignment)):
        known = dict(zip(assignment, chosen, strict=True))
        yield tuple(
            known.get(BrokerId(number), Condition()) for number in range(brokers)
        )


def _subsets(brokers: Brokers, least: int, most: int) -> Iterator[Brokers]:
    for size in range(least, most + 1):
        yield from combinations(brokers, size)
