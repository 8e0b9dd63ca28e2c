"""Which of many equal tests take long: those of searches with many states."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

T = TypeVar("T")

IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
"""Whether the tests run as `make nightly` has them run."""
by_night = pytest.mark.skipif(not IS_NIGHTLY, reason="takes long; make nightly does it")
"""Mark of a test of which shorter ones of the same law stay."""
FEW_STATES = 1_000
"""A search of so many states and no more is not slow."""


def by_states(
    values: Iterable[T], states: Callable[[T], float], limit: int = FEW_STATES
) -> list[ParameterSet]:
    """Parameters of a test, of which those with more states are slow."""
    return [
        slow(value) if states(value) > limit else pytest.param(value)
        for value in values
    ]


def slow(value: object) -> ParameterSet:
    """Parameter of a test that is slow with it."""
    return pytest.param(value, marks=pytest.mark.slow)


def one_in_four(values: Iterable[T]) -> list[ParameterSet]:
    """Parameters of a test, of which one in four is not slow."""
    return [
        slow(value) if place % 4 else pytest.param(value)
        for place, value in enumerate(values)
    ]
