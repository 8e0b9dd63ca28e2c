"""A process leaves out what it has written, but only where that is safe."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.engines.partitioned.worker import recent_states
from replicheck.explorer.engines.partitioned.worker.recent_states import RecentStates
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.runtime.thread_pool import map_in_turn


def add(visited: VisitedSet, printed: int) -> None:
    """Add a fingerprint, as a task does."""
    visited.load(np.array([printed], np.uint64), np.empty((1, 0), np.uint64))


def held(visited: VisitedSet) -> int:
    """Number of fingerprints that a task may rely on."""
    return int(visited.counts.sum())


def written(recent: RecentStates, level: int, start: int) -> None:
    """Do a task that writes one state."""
    lent = recent.lend((level, start))
    add(lent, 1 + held(lent))
    recent.keep(lent)


def test_a_later_task_relies_on_earlier_ones() -> None:
    """On the same level for later states, and on every later level."""
    recent = RecentStates()
    written(recent, 3, 0)
    written(recent, 3, 100)
    assert held(recent.lend((4, 0))) == 2


def test_a_repeated_task_relies_on_nothing() -> None:
    """Nor does one for earlier states, whose predecessors are the lesser ones."""
    for start in (100, 50):
        recent = RecentStates()
        written(recent, 3, 100)
        assert held(recent.lend((3, start))) == 0


def test_what_a_failed_task_found_is_forgotten() -> None:
    """It was never written."""
    recent = RecentStates()
    add(recent.lend((3, 0)), 1)
    assert held(recent.lend((4, 0))) == 0


def test_a_process_forgets_when_it_remembers_too_much() -> None:
    """Memory has a bound; to find something again costs only time."""
    recent = RecentStates()
    written(recent, 3, 0)
    lent = recent.lend((4, 0))
    assert held(lent) == 1
    lent.make_room(np.full(128, recent_states.MOST_BYTES // 1024), map_in_turn)
    recent.keep(lent)
    assert held(recent.lend((5, 0))) == 0
