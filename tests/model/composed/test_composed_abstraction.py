"""Every step of the cluster with fetcher threads is an abstract step, or none."""

from __future__ import annotations

from functools import cache

import pytest

from abstraction.edges import edges, whole
from abstraction.findings import Findings, breaks, look_at
from abstraction.steps import AbstractSteps, rows
from replicheck.model.composed.bounds import ComposedBounds
from shipped import SYSTEMS
from slow import IS_NIGHTLY

ROWS = (*rows(), *rows("With the real controller"))
SMALL = {
    "directory": (ComposedBounds(brokers=2, records=1, directory_failures=1), 3),
    "crash": (ComposedBounds(brokers=2, records=1, crashes=1, lost_replies=1), 3),
    "restart": (ComposedBounds(brokers=2, crashes=1, restarts=1), 4),
    "shutdown": (ComposedBounds(brokers=2, records=1, shutdowns=1), 3),
    "in sync": (ComposedBounds(brokers=2, records=1, isr_shrinks=1), 1),
    "move": (ComposedBounds(brokers=2, records=1, moves=1), 1),
    "duplicate request": (
        ComposedBounds(brokers=2, duplicates=1, directory_failures=1),
        3,
    ),
}
"""Small bounds, and more leader epochs than there are."""
LARGE = {
    "session": (ComposedBounds(brokers=2, session_expiries=1), 4),
    "session, with a record": (
        ComposedBounds(brokers=2, records=1, session_expiries=1),
        4,
    ),
    "move, and a shutdown": (
        ComposedBounds(brokers=2, records=1, moves=1, shutdowns=1),
        4,
    ),
}
SCENARIOS = SMALL | LARGE if IS_NIGHTLY else SMALL
BROKEN = {
    "composed-l-hw-commit-alone": "in sync",
    "composed-b-lir-6-lead-instead-of-following": "shutdown",
    "composed-l-lead-cut-the-log-of-a-leader": "crash",
    "composed-b-lead-keep-stopped-replicas-in-thread": "crash",
    "composed-kafka-6949-replace-logs-grown-since-read": "move",
}
"""Mutations, and bounds within which some step of each is no abstract step."""


@cache
def findings(name: str) -> Findings:
    """Look for the way of every step."""
    bounds, epochs = SCENARIOS[name]
    return look_at(whole(bounds, epochs), ROWS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_step_is_an_abstract_step(name: str) -> None:
    """A row leads from one state to the other, or an answer came late."""
    assert not findings(name).unexplained


def test_every_row_is_taken() -> None:
    """None of the rows for the real controller is idle."""
    ways = [way for name in SMALL for way in findings(name).ways]
    assert {way.row for way in ways} >= {*rows("With the real controller")}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_no_refinement(name: str) -> None:
    """Some step of the mutation is none that a row allows, and no late answer."""
    bounds, epochs = SMALL[BROKEN[name]]
    concrete = whole(bounds, epochs, SYSTEMS["composed"].protocols_by_name[name])
    steps = AbstractSteps(concrete.bounds, ROWS)
    assert any(breaks(edge, steps) for edge in edges(concrete))


def test_the_counts_of_the_page() -> None:
    """As many steps and late answers as it says."""
    every = [findings(name) for name in SMALL]
    assert sum(finding.steps for finding in every) == 19_232
    assert sum(finding.late for finding in every) == 9


def test_a_gap_that_the_page_names() -> None:
    """An ISR is stored, and known to the leader later: that is one abstract step."""
    bounds = ComposedBounds(brokers=2, records=1, isr_shrinks=1, lost_replies=1)
    found = look_at(whole(bounds, 1), ROWS).unexplained
    assert {step.action for step in found} == {
        "lose_reply_to_shrink",
        "lose_reply_to_expansion",
        "confirm_isr",
    }
