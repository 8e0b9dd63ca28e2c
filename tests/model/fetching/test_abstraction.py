"""Every step of the fetching brokers is a step of the abstract partition, or none."""

from __future__ import annotations

from functools import cache

import pytest

from abstraction.edges import edges, fetching, walk
from abstraction.findings import Findings, breaks, look_at
from abstraction.image import beginning, bounds_of, image
from abstraction.steps import AbstractSteps, Row, elements_of, rows
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.initial_states import with_leader, without_leader
from replicheck.model.replication.state import initial_cluster
from shipped import SYSTEMS
from slow import IS_NIGHTLY

pytestmark = pytest.mark.slow

SMALL = {
    "roles": with_leader(FetchingBounds()),
    "beginning": without_leader(FetchingBounds()),
    "records": with_leader(FetchingBounds(records=2, isr_shrinks=1)),
    "commits": with_leader(
        FetchingBounds(records=2, max_leader_epoch=0, isr_shrinks=1)
    ),
    "elections": with_leader(FetchingBounds(max_leader_epoch=2)),
    "crash": with_leader(FetchingBounds(crashes=1)),
    "directory": with_leader(FetchingBounds(directory_failures=1)),
    "failure": with_leader(FetchingBounds(log_errors=1)),
    "stop": with_leader(FetchingBounds(stops=1)),
    "network": with_leader(FetchingBounds(network_errors=1)),
    "checkpoint": with_leader(FetchingBounds(checkpoints=1)),
    "lost request": with_leader(FetchingBounds(lost_requests=1)),
    "repeated request": with_leader(FetchingBounds(repeated_requests=1)),
    "aborted request": with_leader(FetchingBounds(aborted_requests=1)),
    "unknown leader": with_leader(FetchingBounds(unknown_leaders=1)),
    "corrupt batch": with_leader(FetchingBounds(corrupt_batches=1)),
    "beside another": with_leader(
        FetchingBounds(partitions=2, max_leader_epoch=0, log_errors=1)
    ),
    "move": with_leader(
        FetchingBounds(directories=2, moves=1, max_leader_epoch=0, records=2)
    ),
}
LARGE = {
    "fetching-two-brokers-change-roles": with_leader(
        FetchingBounds(records=2, max_leader_epoch=2)
    ),
    "pool": with_leader(FetchingBounds(resizes=1, fetchers=2)),
}
SCENARIOS = SMALL | LARGE if IS_NIGHTLY else SMALL
BROKEN = {
    "k-1-truncate-to-high-watermark": "roles",
    "k-2-begin-to-fetch-at-the-end": "roles",
    "k-5-never-fence": "roles",
    "k-5b-answer-in-an-unknown-epoch": "roles",
    "k-6b-use-records-of-another-epoch": "roles",
    "l-lead-cache-the-epoch-at-the-high-watermark": "roles",
    "l-hw-commit-alone": "roles",
    "l-fu-1-learn-from-failed-reads": "roles",
    "l-isr-1-let-followers-join-at-the-start": "records",
    "b-lead-lead-with-the-fetcher-at-work": "roles",
}
"""Mutations, and a scenario in which some step of each is no abstract step."""


@cache
def findings(name: str) -> Findings:
    """Look for the way of every step of a scenario."""
    return look_at(fetching(SCENARIOS[name]), rows())


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_step_is_an_abstract_step(name: str) -> None:
    """A row leads from one state to the other, or an answer came late."""
    assert not findings(name).unexplained


def test_every_row_is_taken() -> None:
    """None of the page's rows is idle, and what it says of numbers is seen."""
    ways = [way for name in SMALL for way in findings(name).ways]
    assert {way.row for way in ways} == set(rows())
    for row in rows():
        for element in row.elements:
            if element.any_number:
                counts = {w.steps.count(element.action) for w in ways if w.row == row}
                assert max(counts) >= 1, (row.action, element.action)


def test_the_counts_of_the_page() -> None:
    """As many steps and late answers as it says."""
    found = findings("roles")
    assert (found.steps, found.late) == (1_816, 6)
    if IS_NIGHTLY:
        found = findings("fetching-two-brokers-change-roles")
        assert (found.steps, found.late) == (151_409, 683)


def test_the_first_state_is_reached() -> None:
    """The brokers begin where the abstract partition comes to by three steps."""
    pattern = (
        "`elect_leader_among_live` `become_leader` "
        "`fenced_become_follower_and_truncate`"
    )
    begin = Row("begin", elements_of(pattern))
    start = SMALL["roles"]
    steps = AbstractSteps(bounds_of(start), (begin,))
    first = initial_cluster(bounds_of(start))
    assert steps.way("begin", first, image(start, beginning(start), bounds_of(start)))


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_no_refinement(name: str) -> None:
    """Some step of the mutation is none that a row allows, and no late answer."""
    start = SMALL[BROKEN[name]]
    steps = AbstractSteps(bounds_of(start))
    found = edges(fetching(start, SYSTEMS["fetching"].protocols_by_name[name]))
    assert any(breaks(edge, steps) for edge in found)


FETCH = (
    "maybe_fetch(follower={0}, leader=0, fetcher=0)",
    "handle_fetch_request(follower={0}, leader=0, fetcher=0)",
    "process_fetch_request(follower={0}, leader=0, fetcher=0)",
)


def fetch(follower: int, *, until: int = 3) -> list[str]:
    """The labels of a fetch from broker 0, or of its first steps."""
    return [action.format(follower) for action in FETCH[:until]]


APPEND = "append_records_to_leader(leader=0, partition=0)"
GAPS = {
    "an answer comes after its leader was elected anew": (
        FetchingBounds(),
        [
            "elect_leader(leader=0, partition=0)",
            "make_leaders(broker=0, partition=0)",
            APPEND,
            *fetch(1, until=2),
            "make_leader(broker=0)",
            "process_fetch_request(follower=1, leader=0, fetcher=0)",
        ],
    ),
    "an answer brings what its leader has cut since": (
        FetchingBounds(brokers=3),
        [
            "elect_leader(leader=1, partition=0)",
            "make_leaders(broker=1, partition=0)",
            "make_leader(broker=1)",
            APPEND,
            *fetch(2, until=2),
            "make_followers(broker=0, partition=0)",
            "replace_fetcher(broker=0)",
            "fetch_truncating_partitions(follower=0, leader=1, fetcher=0)",
            "handle_offset_for_leader_epoch_request(follower=0, leader=1, fetcher=0)",
            "truncate_to_epoch_end_offsets(follower=0, leader=1, fetcher=0)",
            "process_fetch_request(follower=2, leader=0, fetcher=0)",
        ],
    ),
    "a leader counts on what it knew in an earlier epoch": (
        FetchingBounds(brokers=3, isr_shrinks=1),
        [
            "elect_leader(leader=0, partition=0)",
            "make_leaders(broker=0, partition=0)",
            APPEND,
            *fetch(1),
            *fetch(1, until=2),
            "make_leader(broker=0)",
            "maybe_shrink_isr(leader=0, partition=0, follower=2)",
        ],
    ),
    "a follower restarts in its epoch": (
        FetchingBounds(max_leader_epoch=0, crashes=1, restarts=1),
        [
            APPEND,
            *fetch(1),
            *fetch(1),
            "crash(broker=1)",
            "restart(broker=1)",
            "make_followers(broker=1, partition=0)",
            "replace_fetcher(broker=1)",
            "fetch_truncating_partitions(follower=1, leader=0, fetcher=0)",
            "handle_offset_for_leader_epoch_request(follower=1, leader=0, fetcher=0)",
            "truncate_to_epoch_end_offsets(follower=1, leader=0, fetcher=0)",
        ],
    ),
}
"""For each gap that the page names, a run whose last step is no abstract step."""


@pytest.mark.parametrize("name", GAPS)
def test_a_gap_that_the_page_names(name: str) -> None:
    """All steps of its run are abstract steps but the last."""
    bounds, labels = GAPS[name]
    start = with_leader(bounds)
    steps = AbstractSteps(bounds_of(start))
    *before, last = walk(start, labels)
    for edge in before:
        explained = steps.way(edge.action, edge.before, edge.after)
        assert explained or not edge.is_visible(), edge.label
    assert last.is_visible()
    assert not steps.way(last.action, last.before, last.after)
