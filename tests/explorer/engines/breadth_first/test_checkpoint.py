"""Checkpoints: a search that was ended at any moment goes on as if nothing had been."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from functools import cache, wraps
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import toys
from random_sets.message_systems import Demand, PostOffice
from random_sets.set_systems import Item
from random_sets.splits import ITEMS
from replicheck.explorer.engine import Limits, Progress, Search
from replicheck.explorer.engines.breadth_first.checkpointer import Checkpointer
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.properties import always
from replicheck.explorer.report import Report, Verdict
from replicheck.explorer.states.symmetry import Reduction
from replicheck.model.replication import state
from searches.interrupted_searches import (
    MODEL,
    SEARCH,
    Killed,
    KilledAt,
    engine,
    killed,
    resumed,
)
from searches.replication_searches import PROPERTIES
from searches.resumed_searches import Moment, content, ended_and_resumed

FIRST_CHECKPOINT = 12
"""After so many waits for the disk the first checkpoint is whole."""


@cache
def whole() -> Report[Any]:
    """The report of a search without any interruption."""
    return BreadthFirst(threads=1).explore(MODEL, PROPERTIES, SEARCH)


def test_the_search_of_these_tests_finds_something() -> None:
    """It has violations of two kinds, witnesses, and several levels after those."""
    assert whole().verdict is Verdict.VIOLATED
    assert len(whole().reached) > 2
    assert whole().depth > 13


@pytest.mark.parametrize("seed", range(8))
def test_a_kill_at_any_moment(tmp_path: Path, seed: int) -> None:
    """Killed twice, on other numbers of threads, a search ends with the same report."""
    moments = random.Random(seed)
    killed(tmp_path, moments.randrange(1, whole().depth))
    search = evolve(SEARCH, watch=KilledAt(moments.randrange(2, 6), []))
    try:
        engine(tmp_path, 2).resume(MODEL, PROPERTIES, search)
    except Killed:
        again = resumed(tmp_path, 7)
        assert again == whole()
        assert again.statistics.coverage == whole().statistics.coverage


@pytest.mark.parametrize("moment", range(0, 60, 4))
def test_a_kill_while_a_checkpoint_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Whatever is half-written, the checkpoint before it stays valid."""
    calls = []
    fsync = os.fsync

    def kill(handle: int) -> None:
        calls.append(handle)
        if len(calls) > moment:
            raise Killed
        fsync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", kill)
        with pytest.raises(Killed):
            engine(tmp_path).explore(MODEL, PROPERTIES, SEARCH)
    if (tmp_path / "manifest.json").exists():
        assert resumed(tmp_path) == whole()
    else:
        assert moment < 10


def test_what_attrs_says_of_its_own_function_is_no_part_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Python 3.13 it changes whenever a class is made."""
    killed(tmp_path, 9)
    monkeypatch.setattr(evolve, "__module__", "replicheck.cli.main")
    assert resumed(tmp_path) == whole()


def test_a_function_may_wrap_what_is_no_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules of a model may have any value."""

    @wraps(len)
    def size(value: Any) -> int:
        return len(value)

    monkeypatch.setattr(state, "size", size, raising=False)
    killed(tmp_path, 9)
    assert resumed(tmp_path) == whole()


def unkept(report: Report[Any]) -> str:
    """The reason for which no checkpoint was written, if that is so."""
    measured = report.statistics.breadth_first
    assert measured is not None
    return measured.unkept or ""


@pytest.mark.parametrize("level", [1, 9])
@pytest.mark.parametrize("writes", range(0, 20, 3))
def test_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: int, writes: int
) -> None:
    """Without a first checkpoint a search goes on in memory, else it can be resumed."""
    due, done = count(1), count(1)

    def fail(handle: int) -> None:
        if next(done) > writes:
            raise OSError("No space left on device")

    folder = tmp_path / "kept"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        patched.setattr(Checkpointer, "is_due", property(lambda _: next(due) >= level))
        report = engine(folder).explore(MODEL, PROPERTIES, SEARCH)
    if report.cut == "disk":
        assert not unkept(report)
        assert writes >= FIRST_CHECKPOINT
        assert not [*folder.glob("*.part")]
        assert resumed(folder) == whole()
    else:
        assert report == whole()
        assert unkept(report) == "No space left on device"
        assert writes < FIRST_CHECKPOINT
        assert not folder.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The search goes on in memory, and says why."""
    (tmp_path / "file").touch()
    report = engine(tmp_path / "file" / "kept").explore(MODEL, PROPERTIES, SEARCH)
    assert report == whole()
    assert "Not a directory" in unkept(report)


def test_what_was_cut_and_claimed_before_is_known_after(tmp_path: Path) -> None:
    """A state that a constraint cut long ago still keeps the verdict open."""
    model = toys.counter(limit=30, constraints=(toys.is_not_three,))
    claims = (always(toys.at_one_it_is_odd),)
    with pytest.raises(Killed):
        engine(tmp_path).explore(model, claims, Search(watch=KilledAt(9, [])))
    again = engine(tmp_path).resume(model, claims, Search())
    assert again.statistics.coverage is not None
    assert again.statistics.coverage.premises == {"at_one_it_is_odd": True}
    assert again.constrained == {"is_not_three": 1}
    assert again.verdict is Verdict.INCOMPLETE
    at_once = BreadthFirst(threads=1).explore(model, claims, Search())
    assert again == at_once
    assert again.statistics.coverage == at_once.statistics.coverage


@pytest.mark.parametrize("interval", [0, 1000])
def test_an_interruption_inside_a_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: float
) -> None:
    """What the unfinished level has found is taken out of the checkpoint again."""
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    monkeypatch.setattr(chunk_walker, "CHUNK", 2048)
    model = toys.lattice(5)

    def interrupt(progress: Progress) -> None:
        if progress.depth == 15 and progress.frontier < progress.levels[-1]:
            raise KeyboardInterrupt

    how = Search(watch=interrupt)
    report = engine(tmp_path, interval=interval).explore(model, (), how)
    assert report.cut == "interrupted"
    assert engine(tmp_path).resume(model, ()) == BreadthFirst().explore(model, ())


def test_a_search_that_ends_leaves_nothing(tmp_path: Path) -> None:
    """Its checkpoint and the folder made for it are gone."""
    folder = tmp_path / "kept"
    assert engine(folder).explore(MODEL, PROPERTIES, SEARCH) == whole()
    assert not folder.exists()


def test_no_checkpoint_before_its_time(tmp_path: Path) -> None:
    """A short search does not touch the disk."""
    folder = tmp_path / "kept"
    glances = []

    def watch(progress: Progress) -> None:
        glances.append(folder.exists())

    how = evolve(SEARCH, watch=watch)
    engine(folder, interval=1000).explore(MODEL, PROPERTIES, how)
    assert not any(glances)


def test_what_a_limit_on_seconds_cut_can_go_on(tmp_path: Path) -> None:
    """Each process has the seconds for itself."""
    how = evolve(SEARCH, limits=Limits(seconds=1e-9))
    cut = engine(tmp_path, interval=1000).explore(MODEL, PROPERTIES, how)
    assert cut.cut == "seconds"
    assert resumed(tmp_path) == whole()


def test_the_seconds_of_all_processes_are_added(tmp_path: Path) -> None:
    """The report says how long the search took."""
    killed(tmp_path, 10)
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert resumed(tmp_path).seconds > manifest["body"]["snapshot"]["seconds"]


def test_no_checkpoint_at_all(tmp_path: Path) -> None:
    """The message names the folder and what it lacks."""
    with pytest.raises(CheckpointError, match=r"no checkpoint in .*manifest"):
        resumed(tmp_path)


SEARCHES = [(1, Reduction.NONE), (2, Reduction.NONE), (2, Reduction.SYMMETRY)]
MOMENTS: list[Moment] = [(4, KeyboardInterrupt), (6, Killed), (3, KeyboardInterrupt)]


@pytest.mark.parametrize(("threads", "reduction"), SEARCHES)
def test_several_interruptions_leave_no_trace(
    threads: int, reduction: Reduction
) -> None:
    """Not in what the report counts either, guards included where no set is split."""
    chosen = BreadthFirst(threads=threads, reduction=reduction)
    expected = chosen.explore(MODEL, PROPERTIES, SEARCH)
    ended = ended_and_resumed(
        chosen, MODEL, PROPERTIES, SEARCH, MOMENTS, [None] * (len(MOMENTS) + 1)
    )
    assert content(ended) == content(expected)


def send(post: PostOffice, number: Item, caller: Item) -> Iterator[PostOffice]:
    """Put a message into the set."""
    yield post.evolve(sent=post.sent.add(Demand(number, caller)))


def lose(post: PostOffice) -> Iterator[PostOffice]:
    """Lose any message; this is learned message by message, sooner or later."""
    for message in sorted(post.sent.items, key=repr):
        yield post.evolve(sent=post.sent.remove(message))


def test_guards_are_counted_in_the_same_states_after_an_interruption() -> None:
    """What is asked there of a set that is split may differ; all else is alike."""
    model = toys.Toy((send, lose), (PostOffice(),), domains={Item: ITEMS[:3]})
    chosen = BreadthFirst(threads=1, crowded=8)
    moments: list[Moment] = [(4, Killed), (2, KeyboardInterrupt)]
    ended = ended_and_resumed(chosen, model, (), SEARCH, moments, [None] * 3)
    found, counts = content(ended)
    expected, expected_counts = content(chosen.explore(model, (), SEARCH))
    assert found == expected
    assert {**counts, "coverage": None} == {**expected_counts, "coverage": None}
    guards = counts["coverage"].guards
    expected_guards = expected_counts["coverage"].guards
    assert guards.sampled == expected_guards.sampled > 0
    assert guards.actions.keys() == expected_guards.actions.keys()
