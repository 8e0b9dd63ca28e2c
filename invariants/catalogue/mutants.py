"""Mutants as values: protocols that are known to be wrong, and what shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import frozen

from replicheck.invariants.catalogue.errors import Place, suggestion
from replicheck.invariants.catalogue.scenario import Expectation, Name, Scenario

Status = Literal["killed", "equivalent", "alive"]


@frozen
class Mutant:
    """A protocol that is known to be wrong.

    ``scenario`` is the search in which that shows, with the protocol in it, and
    ``start`` the shipped scenario or initial state that it begins with. ``issue`` is
    Kafka's own, such as ``KAFKA-9672``. ``argument`` says why nothing is expected to
    catch it, if that is so.
    """

    name: Name
    rule: str
    issue: str
    scenario: Scenario
    start: Name
    expected: Status
    argument: str = ""

    @property
    def expectation(self) -> Expectation:
        """Return what its search must find."""
        assert self.scenario.expect is not None, "every mutant has an expectation"
        return self.scenario.expect

    @property
    def violates(self) -> Name:
        """Return the property that is to catch it, or nothing."""
        return next(iter(self.expectation.violations), "")

    @property
    def length(self) -> int | None:
        """Return how many states its shortest counterexample is expected to have."""
        return self.expectation.violations.get(self.violates)

    @property
    def rank(self) -> tuple[str, int, str]:
        """Return a key by which ``m-9`` comes before ``m-10``."""
        number = re.match(r"[a-z]+-(\d+)", self.name)
        letters = self.name.partition("-")[0] if number else ""
        return letters, int(number[1]) if number else 0, self.name

    @property
    def short_names(self) -> Iterator[str]:
        """Yield its id and its issue, in small letters."""
        if found := re.match(r"[a-z]+-\d+(?=-)", self.name):
            yield found[0]
        if self.issue:
            yield self.issue.lower()

    def is_called(self, name: str) -> bool:
        """Tell whether a name means it: its own, its id or its issue."""
        return name.lower() in (self.name, *self.short_names)


def chosen(names: Sequence[str], known: Sequence[Mutant]) -> tuple[Mutant, ...]:
    """Return the mutants that a user names, each once; without names all.

    Raises:
        ScenarioError: if a name is of none.
    """
    for name in names:
        if not any(each.is_called(name) for each in known):
            valid = [n for each in known for n in (each.name, *each.short_names)]
            nearest = suggestion(name.lower(), valid)
            raise Place(name).error(f"there is no such mutant{nearest}")
    wanted = names or [each.name for each in known]
    return tuple(e for e in known if any(e.is_called(name) for name in wanted))
