"""Which abstract steps a step of the fetching brokers may be: docs/abstraction.md."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field, frozen

from checkout import DOCS
from replicheck.explorer.instances import Instance, instances
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import KIP_320_DELAYED, replication_model
from replicheck.model.replication.state import AbstractCluster

PAGE = DOCS / "abstraction.md"
ROW = re.compile(r"^\| (?P<steps>`[^|]*) \| (?P<pattern>`[^|]*) \|", re.MULTILINE)
NAME = re.compile(r"`(?P<name>\w+)`(?P<many> \(any number\))?")


@frozen
class Element:
    """An abstract step of a row: exactly one, or any number."""

    action: str
    any_number: bool


@frozen
class Row:
    """What one step of the brokers is in the abstract."""

    action: str
    elements: tuple[Element, ...]


def rows(heading: str = "The steps") -> tuple[Row, ...]:
    """The rows of the table under a heading, one for each action."""
    _, _, below = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")
    table, _, _ = below.partition("\n## ")
    return tuple(
        Row(step["name"], elements_of(row["pattern"]))
        for row in ROW.finditer(table)
        for step in NAME.finditer(row["steps"])
    )


def elements_of(pattern: str) -> tuple[Element, ...]:
    """The abstract steps that a cell of the table names."""
    return tuple(
        Element(found["name"], bool(found["many"])) for found in NAME.finditer(pattern)
    )


@frozen
class Way:
    """The row by which one abstract state leads to another, and the steps taken."""

    row: Row
    steps: tuple[str, ...]


@define
class AbstractSteps:
    """The abstract partition within bounds, whose steps are looked for in rows."""

    bounds: ReplicationBounds
    rows: tuple[Row, ...] = field(factory=rows)
    _actions: dict[str, list[Instance]] = field(factory=dict)
    _next: dict[tuple[str, AbstractCluster], list[AbstractCluster]] = field(
        factory=dict
    )
    _ways: dict[tuple[str, AbstractCluster, AbstractCluster], Way | None] = field(
        factory=dict
    )

    def __attrs_post_init__(self) -> None:
        """Sort the actions, with all their arguments, by name."""
        model = replication_model(KIP_320_DELAYED, self.bounds)
        for instance in instances(model.actions, model.domains):
            self._actions.setdefault(instance.name, []).append(instance)

    def way(
        self, action: str, before: AbstractCluster, after: AbstractCluster
    ) -> Way | None:
        """A way from one state to the other that a row of the action allows."""
        key = (action, before, after)
        if key not in self._ways:
            self._ways[key] = self._search(action, before, after)
        return self._ways[key]

    def _search(
        self, action: str, before: AbstractCluster, after: AbstractCluster
    ) -> Way | None:
        for row in self.rows:
            if row.action == action:
                for steps in self._runs(row.elements, before, after):
                    return Way(row, steps)
        return None

    def _runs(
        self,
        elements: tuple[Element, ...],
        before: AbstractCluster,
        after: AbstractCluster,
    ) -> Iterator[tuple[str, ...]]:
        if not elements:
            if before == after:
                yield ()
            return
        first, *rest = elements
        if first.any_number:
            yield from self._runs(tuple(rest), before, after)
        left = elements if first.any_number else tuple(rest)
        for state in self._after(first.action, before):
            for steps in self._runs(left, state, after):
                yield (first.action, *steps)

    def _after(self, action: str, state: AbstractCluster) -> list[AbstractCluster]:
        key = (action, state)
        if key not in self._next:
            found = (after for step in self._actions[action] for after in step(state))
            self._next[key] = list(found)
        return self._next[key]
