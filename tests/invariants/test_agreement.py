"""The naive engine and the fast one agree on every scenario that both can finish."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

import agreement
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report, Verdict
from shipped import CATALOGUE
from slow import IS_NIGHTLY

pytestmark = pytest.mark.slow

FEW_STATES = 1_200
"""How many states a scenario has that is compared in every run of the tests."""
MANY_STATES = 100_000
"""With more states that are known of, a scenario is compared in no run."""
PATIENCE = 60.0 if IS_NIGHTLY else float("inf")
"""Seconds after which the naive engine gives a scenario up."""


def is_compared(name: str) -> bool:
    """Tell whether this run of the tests compares a scenario."""
    states = agreement.known_states(CATALOGUE, name)
    return states <= MANY_STATES if IS_NIGHTLY else 0 < states <= FEW_STATES


NAMES = [name for name in CATALOGUE.scenarios if is_compared(name)]
if not IS_NIGHTLY:
    # The only one of its system.
    NAMES.append("alter-isr")


@pytest.mark.parametrize("name", NAMES)
def test_the_naive_engine_and_the_fast_one_agree(name: str) -> None:
    """On states of each depth, steps of each action, and on what is found.

    Where the naive engine does not finish, on the depths that it has reached.
    """
    agrees, line = agreement.compared(CATALOGUE, name, PATIENCE)
    assert agrees, line


def test_a_search_that_does_not_finish_is_compared_as_far_as_it_goes() -> None:
    """And the table says so."""
    agrees, line = agreement.compared(
        CATALOGUE, "controller-fails-with-disk-offline", 0
    )
    assert agrees
    row = (
        "| `controller-fails-with-disk-offline` | 1 | 1 | not finished | agree so far |"
    )
    assert line == row


class Forgetful(Naive):
    """Finds all, and tells another verdict."""

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search, and say that something is violated."""
        report = super().explore(model, properties, search)
        return evolve(report, verdict=Verdict.VIOLATED)


def test_a_difference_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the comparison can fail."""
    monkeypatch.setattr(agreement, "Naive", Forgetful)
    agrees, line = agreement.compared(
        CATALOGUE, "topic-deleted-with-disk-offline", PATIENCE
    )
    assert not agrees
    assert line.endswith("| DIFFER |")


def test_every_model_has_small_scenarios() -> None:
    """So that every run of the tests compares some of each family."""
    small = {CATALOGUE.scenarios[name].model for name in NAMES}
    assert small >= CATALOGUE.systems.keys() - {"replication"}
