"""Rules: single functions of a model that a protocol replaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import field, frozen

from replicheck.model.protocol import Protocol
from replicheck.model.rules import Replacements, original, rule
from replicheck.model.state_base import Cells


@frozen
class Tally(Cells):
    """A number that goes up by the rule."""

    value: int = 0
    replacements: Replacements = field(default=(), eq=False)


@rule
def raised(counter: Tally, by: int) -> int:
    """The next number."""
    return counter.value + by


def raised_twice(counter: Tally, by: int) -> int:
    """The number after the next."""
    return original(raised)(counter, by) + by


def step(counter: Tally) -> Iterator[Tally]:
    """Go up."""
    yield counter.evolve(value=raised(counter, 1))


ONE_BY_ONE = Protocol("one by one", (step,))


def test_a_rule_is_a_function_like_any_other() -> None:
    """Without a replacement it does what it says."""
    assert next(step(Tally())).value == 1


def test_a_protocol_replaces_a_rule_in_its_actions() -> None:
    """The replacement can still call the original."""
    changed = ONE_BY_ONE.replacing(raised, by=raised_twice)
    assert changed.actions == ONE_BY_ONE.actions
    assert next(step(Tally(replacements=changed.replacements))).value == 2


def test_a_function_that_is_no_rule_cannot_be_replaced() -> None:
    """The error names protocol and function."""
    with pytest.raises(ValueError, match="one by one has no action raised_twice"):
        ONE_BY_ONE.replacing(raised_twice, by=raised)
