"""Agreement on numbers: which value of a cell has which number, in every process.

Within a process a learner numbers values as it meets them. In files a value has its
**global** number, the same everywhere. New values get theirs when a level is complete,
in the order of their content hashes. Until then, a process writes a new value as
``base + i``: the ``i``-th of those that it reports as fresh, ``base`` being how many
global numbers there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.engines.partitioned.store.blocks import Array
from replicheck.explorer.frontier.levels import NARROW, WIDE
from replicheck.explorer.native.library import renumber
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Domain

Numbers = npt.NDArray[np.int64]
UNAGREED = -1

Values = tuple[tuple[Any, ...], ...]
"""For each distinct domain, in the order of the columns, some values."""


class _Agreed:
    """The agreed numbers of one domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.locals: list[int] = []
        """For each global number the local one."""
        self.globals: list[int] = []
        """For each local number the global one, or UNAGREED."""

    def add(self, value: Any) -> None:
        local = self.domain.number(value)
        self.fit()
        if self.globals[local] == UNAGREED:
            self.globals[local] = len(self.locals)
            self.locals.append(local)

    def fit(self) -> None:
        self.globals += [UNAGREED] * (len(self.domain) - len(self.globals))

    @property
    def fresh(self) -> list[int]:
        self.fit()
        return [local for local, known in enumerate(self.globals) if known == UNAGREED]


class Agreement:
    """The agreed numbers of all domains, as far as this process has heard."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        distinct = list(dict.fromkeys(domains))
        self._agreed = [_Agreed(each) for each in distinct]
        self._of_column = [distinct.index(each) for each in domains]
        self._second = Hasher(seed=1)

    def add(self, values: Values) -> None:
        """Give each value of each domain the next global number, if it has none."""
        for agreed, each in zip(self._agreed, values, strict=True):
            for value in each:
                agreed.add(value)

    @property
    def fresh(self) -> Values:
        """Return the values without a global number, in the order of local ones."""
        return tuple(
            tuple(agreed.domain.values[local] for local in agreed.fresh)
            for agreed in self._agreed
        )

    def in_order(self, reports: Sequence[Values]) -> Values:
        """Return the fresh values of all reports, each once, in the agreed order."""
        return tuple(
            self._of_domain(
                agreed, [values for report in reports for values in report[n]]
            )
            for n, agreed in enumerate(self._agreed)
        )

    def _of_domain(self, agreed: _Agreed, values: Sequence[Any]) -> tuple[Any, ...]:
        numbers = {agreed.domain.number(value) for value in values}
        agreed.fit()
        known = agreed.domain
        new = [each for each in numbers if agreed.globals[each] == UNAGREED]
        new.sort(
            key=lambda local: (
                int(known.hashes[local, 0]),
                self._second.value(known.values[local]),
            )
        )
        return tuple(known.values[local] for local in new)

    @property
    def counts(self) -> list[int]:
        """Return how many global numbers each domain has."""
        return [len(each.locals) for each in self._agreed]

    @property
    def values(self) -> list[tuple[str, list[Any]]]:
        """Return each domain's name and its values in the order of global numbers."""
        return [
            (each.domain.name, [each.domain.values[local] for local in each.locals])
            for each in self._agreed
        ]

    @property
    def of_column(self) -> list[int]:
        """Return for each column the number of its domain."""
        return self._of_column

    def to_local(self, rows: Array, dtype: npt.DTypeLike) -> Array:
        """Return rows of global numbers in local ones."""
        return self._mapped(rows, [np.array(a.locals) for a in self._agreed], dtype)

    def to_global(self, rows: Array) -> Array:
        """Return rows of local numbers in global ones, fresh values as reported."""
        tables = []
        for agreed in self._agreed:
            agreed.fit()
            table = np.array(agreed.globals)
            fresh = np.flatnonzero(table == UNAGREED)
            table[fresh] = len(agreed.locals) + np.arange(len(fresh))
            tables.append(table)
        widest = max(len(table) for table in tables)
        return self._mapped(rows, tables, NARROW if widest <= 1 << 16 else WIDE)

    def numbers_of(self, values: Values) -> list[Numbers]:
        """Return the global number of each value, by domain."""
        return [
            np.array([a.globals[a.domain.number(value)] for value in each], np.int64)
            for a, each in zip(self._agreed, values, strict=True)
        ]

    def _mapped(
        self, rows: Array, tables: Sequence[Array], dtype: npt.DTypeLike
    ) -> Array:
        starts = np.cumsum([0, *(len(table) for table in tables)])
        numbers = np.concatenate(tables).astype(np.int64)
        mapped = np.empty(rows.shape, dtype)
        renumber(rows, starts[self._of_column], numbers, mapped)
        return mapped


def renumbered(
    rows: Array,
    of_column: Sequence[int],
    bases: Sequence[int],
    numbers: Sequence[Numbers],
    dtype: npt.DTypeLike,
) -> Array:
    """Return rows as a process wrote them, in global numbers.

    Args:
        bases: how many global numbers each domain had then.
        numbers: the global number of each value that was reported as fresh.
    """
    if not any(len(each) for each in numbers):
        return rows.astype(dtype, copy=False)
    found = rows.astype(dtype)
    for column, domain in enumerate(of_column):
        if len(numbers[domain]):
            fresh = np.flatnonzero(rows[:, column] >= bases[domain])
            places = rows[fresh, column].astype(np.int64) - bases[domain]
            found[fresh, column] = numbers[domain][places]
    return found
