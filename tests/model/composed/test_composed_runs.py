"""Every run of a scenario of the cluster is one of the cluster with fetcher threads."""

from __future__ import annotations

import pytest

from abstraction.composed_runs import COPYING, runs, shared, side_by_side
from shipped import CATALOGUE

RUNS = runs(CATALOGUE)


@pytest.mark.parametrize("name", RUNS)
def test_threads_copy_what_the_simple_copying_does(name: str) -> None:
    """After each step logs, disks, controllers, channels and ZooKeeper are alike."""
    for step, simple, whole in side_by_side(
        CATALOGUE, CATALOGUE.scenarios[name], RUNS[name]
    ):
        ours, theirs = shared(simple), shared(whole)
        assert [cell for cell in ours if ours[cell] != theirs[cell]] == [], step


def test_no_scenario_of_kip_112_is_left_out() -> None:
    """Each that has a run is there, or is the beginning of another; threads copy."""
    every = {
        name
        for name, scenario in CATALOGUE.scenarios.items()
        if scenario.model == "cluster" and scenario.sequence
    }
    begun = {
        name
        for name in every
        if any(
            run[: len(mine)] == mine
            for mine in [
                (*CATALOGUE.scenarios[name].setup, *CATALOGUE.scenarios[name].sequence)
            ]
            for run in RUNS.values()
        )
    }
    assert begun == every
    copied = [step for run in RUNS.values() for step in run if COPYING.fullmatch(step)]
    assert len(copied) > 50
