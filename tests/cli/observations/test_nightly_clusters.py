"""What the nightly job keeps of the runs of real clusters; no cluster is needed."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("kazoo", reason="needs the extra real")
pytest.importorskip("kafka", reason="needs the extra real")

from nightly import answer_of, runs_until
from recorded_runs import RecordedRun, RunPlan


def test_runs_that_failed_are_kept(tmp_path: Path) -> None:
    """The folder of a run that is explained is removed, each other one stays."""
    codes = iter((0, 12, 77, 0))

    def recorder(plan: RunPlan, parent: Path) -> RecordedRun:
        (parent / plan.name).mkdir()
        return RecordedRun(plan, next(codes), "", 0)

    plans = (RunPlan("2.5.1", seed=seed) for seed in range(4))
    end = time.monotonic() + 3600
    runs = list(runs_until(end, plans, tmp_path, recorder))
    answers = ["explained", "invariant violated", "undecided", "explained"]
    assert list(map(answer_of, runs)) == answers
    kept = sorted(folder.name for folder in tmp_path.iterdir())
    assert kept == ["kafka-2.5.1-random-1", "kafka-2.5.1-random-2"]


def test_no_run_begins_after_the_end(tmp_path: Path) -> None:
    """A job whose time is over makes no run more."""
    plans = (RunPlan("2.5.1", seed=seed) for seed in count())
    assert list(runs_until(time.monotonic(), plans, tmp_path)) == []


def test_names_of_runs_tell_version_protocol_and_seed() -> None:
    """Two runs that differ in any of these have folders of their own."""
    assert RunPlan("3.9.1", seed=7, protocol="2.5").name == (
        "kafka-3.9.1-protocol-2.5-random-7"
    )
    assert RunPlan("2.5.1", "isr_shrinks").name == "kafka-2.5.1-isr_shrinks"
