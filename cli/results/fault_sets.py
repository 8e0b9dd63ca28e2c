"""Minimal sets of faults: which of the budgets of a scenario a violation needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod

from attrs import field, frozen

from replicheck.cli.results.result import Result
from replicheck.explorer.report import Outcome, Report

Budget = Mapping[str, int]
"""How often each fault may happen."""


@frozen
class FaultSet:
    """A budget that was searched, such as one with which a property is violated."""

    budget: Budget
    result: Result


@frozen
class FaultSets:
    """All minimal sets of faults, and the budgets of which it is not known.

    ``searched`` counts the budgets that were searched, ``skipped`` those that are
    larger than a minimal one; ``impossible`` are those that the setup does not allow,
    and ``vacuous`` those in which no state fulfils the premise of the property.
    """

    minimal: list[FaultSet] = field(factory=list)
    unknown: list[FaultSet] = field(factory=list)
    searched: list[FaultSet] = field(factory=list)
    skipped: list[Budget] = field(factory=list)
    impossible: list[Budget] = field(factory=list)
    vacuous: list[Budget] = field(factory=list)

    def without_effect(self) -> list[str]:
        """Faults of which no budget that was searched changes what is searched.

        A fault is left out of which there are no two searches that differ in it alone.
        """
        names = list(self.searched[0].budget) if self.searched else []
        return [name for name in names if self._is_without_effect(name)]

    def _is_without_effect(self, name: str) -> bool:
        alike: dict[tuple[tuple[str, int], ...], list[Report[object]]] = {}
        for found in self.searched:
            others = tuple((n, c) for n, c in found.budget.items() if n != name)
            alike.setdefault(others, []).append(found.result.report)
        compared = [reports for reports in alike.values() if len(reports) > 1]
        return bool(compared) and all(
            (report.levels, report.actions) == (first.levels, first.actions)
            for first, *rest in compared
            for report in rest
        )


def budgets_below(most: Budget) -> Iterator[dict[str, int]]:
    """Yield every budget within another, those with few faults first."""
    ranges = [range(count + 1) for count in most.values()]
    for counts in sorted(product(*ranges), key=sum):
        yield dict(zip(most, counts, strict=True))


def count_budgets(most: Budget) -> int:
    """Number of budgets within another."""
    return prod(count + 1 for count in most.values())


def minimal_fault_sets(
    most: Budget, name: str, search: Callable[[Budget], Result | None]
) -> FaultSets:
    """Minimal sets of faults that lead to a violation of a property.

    A larger budget allows every run of a smaller one. So what contains a set that
    violates is no minimal set, and needs no search.

    Args:
        most: the budgets of the scenario.
        name: the property.
        search: the result within a budget; None if there is no such instance.
    """
    found = FaultSets()
    for budget in budgets_below(most):
        if any(_is_within(known.budget, budget) for known in found.minimal):
            found.skipped.append(budget)
            continue
        result = search(budget)
        if result is None:
            found.impossible.append(budget)
            continue
        found.searched.append(FaultSet(budget, result))
        if name in result.vacuous:
            found.vacuous.append(budget)
        if result.report.outcomes[name] is Outcome.VIOLATED:
            found.minimal.append(FaultSet(budget, result))
        elif result.report.outcomes[name] is Outcome.UNDECIDED:
            found.unknown.append(FaultSet(budget, result))
        if result.was_interrupted:
            break
    return found


def _is_within(smaller: Budget, larger: Budget) -> bool:
    return all(count <= larger[name] for name, count in smaller.items())
