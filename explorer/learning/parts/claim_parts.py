"""Parts of claims: what an invariant says of all, said of some by each part.

An invariant that says C of each of some things is learned by what it reads, and reads
all that any C does. So there may be as many answers to tell apart as states. A
part reads what some of the C do: those that read the same cells. It holds where these
are true, and where one raises it is the invariant itself. The first C in their order
that is not true, if there is one, is so in its part, too. So the invariant holds where
all parts do, and raises where one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import wraps
from typing import Any

from attrs import evolve

from replicheck.explorer.instances import Instance
from replicheck.explorer.interpreter.said_of_each import said_of_each
from replicheck.explorer.model import Predicate
from replicheck.explorer.proxies.calls import QuestionRaised
from replicheck.explorer.proxies.probes import HasRead, NotingReader, RefusingReader
from replicheck.explorer.proxies.state_proxy import StateProxy

MOST_PARTS = 16
"""Parts of an instance at most."""


class ClaimParts:
    """What divides invariants into parts.

    Args:
        proxy: of states.
        start: the values of a state, in which to look what each C reads. It is a hint.
    """

    def __init__(self, proxy: type[StateProxy], start: Sequence[Any]) -> None:
        self._unread, self._start = proxy(RefusingReader()), start
        self._proxy = proxy

    def of(self, instance: Instance) -> list[Instance]:
        """The parts of an instance of an invariant; the instance alone if it has none.

        It has none if what it goes through depends on more than constants of the state.
        """
        whole = instance.function
        for said in said_of_each(whole):
            groups = self._groups(said.unguarded, instance.values)
            if len(groups) > 1:
                count = sum(map(len, groups))
                parts = (_part(whole, said.listed, group, count) for group in groups)
                return [evolve(instance, function=part) for part in parts]
        return [instance]

    def _groups(
        self, unguarded: Predicate, arguments: Sequence[object]
    ) -> list[list[int]]:
        """The numbers of each C, those together that read the same; none if unfit."""
        reader = NotingReader(self._start)
        columns = []
        try:
            unguarded(self._unread, *arguments)
            listed: Any = unguarded(self._proxy(reader), *arguments)
        except (Exception, HasRead):
            return []
        for holds_of_one in listed:
            reader.columns = set()
            with suppress(Exception):
                holds_of_one()
            columns.append(reader.columns)
        return _together(columns)


def _together(columns: Sequence[set[int]]) -> list[list[int]]:
    """The numbers of those that read the same cells, or no other ones than these."""
    groups: list[tuple[set[int], list[int]]] = []
    for number in sorted(range(len(columns)), key=lambda n: -len(columns[n])):
        for known, numbers in groups:
            if columns[number] <= known:
                numbers.append(number)
                break
        else:
            groups.append((columns[number], [number]))
    parts: list[list[int]] = [[] for _ in groups[:MOST_PARTS]]
    for place, (_, numbers) in enumerate(groups):
        parts[place % MOST_PARTS] += numbers
    return [sorted(numbers) for numbers in parts]


def _part(
    whole: Predicate, listed: Predicate, numbers: Sequence[int], count: int
) -> Predicate:
    """The part of an invariant that says the ones with some numbers, of so many."""

    @wraps(whole)
    def part(*arguments: Any) -> Any:
        with suppress(Exception, QuestionRaised):
            found: Any = listed(*arguments)
            if not isinstance(found, list):
                return found or whole(*arguments)
            if len(found) == count:
                return all(found[number]() for number in numbers)
        return whole(*arguments)

    return part
