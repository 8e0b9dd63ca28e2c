"""Suites in CI: states that are shared, results that are cached, entries alone."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path

import cattrs
import pytest
from attrs import evolve

import toys
from command_line.suites import BREAKS, ENTRY, HOLDS, check, results, suite
from engines import ENGINES, name_of
from replicheck.cli.runs.result_cache import (
    FOLDER,
    SEAL,
    ResultCache,
    key,
    report_as_json,
    report_of_json,
)
from replicheck.cli.runs.searches import join_tasks, part_of, share_states
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Engine, Limits, Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.traces.value_classes import value_classes
from shipped import CATALOGUE

REACHES = ENTRY + 'invariants = []\nwitnesses = ["reaches_its_limit"]\n'


UNREACHED = ENTRY + 'invariants = []\nwitnesses = ["exceeds_its_limit"]\n'

pytestmark = pytest.mark.usefixtures("elsewhere")


def task_of(entry: str, stop: str) -> Task:
    """The task of an entry with a stop."""
    suite(entry.replace("[[check]]", f'[[check]]\nstop = "{stop}"'))
    (task,) = tasks(toys.catalogue(), ["mine.toml"], Overrides("naive"))
    return task


@pytest.mark.parametrize("stop", ["first-violation", "decided"])
@pytest.mark.parametrize(
    "entries", list(combinations((HOLDS, REACHES, BREAKS, UNREACHED), 2))
)
def test_a_part_of_a_common_search_is_the_search_alone(
    entries: tuple[str, str], stop: str
) -> None:
    """What is taken out of a search for two is what a search for one reports."""
    both = [task_of(entry, stop) for entry in entries]
    assert share_states(*both)
    common = join_tasks(both)
    report = Naive().explore(common.model, common.properties, common.search(print))
    parts = [part_of(report, task) for task in both]
    assert any(part is not None for part in parts) or stop == "decided"
    for task, part in zip(both, parts, strict=True):
        alone = Naive().explore(task.model, task.properties, task.search(print))
        assert part in (None, alone)


def test_other_bounds_are_other_states() -> None:
    """Only entries of the same model, bounds, start and limits share their states."""
    task = task_of(HOLDS, "decided")
    for change in ("bounds = { limit = 4 }", "limits = { depth = 3 }"):
        assert not share_states(task, task_of(HOLDS + change, "decided"))
    assert not share_states(task, task_of(HOLDS, "first-violation"))


def test_states_are_visited_once() -> None:
    """Entries that share their states are explored once, and the report says so."""
    suite(HOLDS, REACHES)
    found = results("--no-cache")
    assert [result["together"] for result in found] == [2, 2]
    assert [result["verdict"] for result in found] == ["holds", "holds"]
    assert found[0]["outcomes"] == {"is_within_its_limit": "holds"}
    assert found[1]["outcomes"] == {"reaches_its_limit": "reached"}
    assert "visited once for 2 entries" in check("--no-cache", "-v").stdout


def test_one_violation_does_not_decide_the_others() -> None:
    """What is violated ends only the search of its own entry."""
    suite(BREAKS, HOLDS)
    found = results("--no-cache")
    assert [result["verdict"] for result in found] == ["violated", "holds"]
    assert [result["states"] for result in found] == [3, 6]
    assert check("--no-cache").exit_code == 0


def test_entries_that_differ_in_limits_only_are_two() -> None:
    """None of them is left out."""
    suite(HOLDS, HOLDS.replace('"holds" }', '"incomplete" }\nlimits = { depth = 2 }'))
    assert [result["verdict"] for result in results()] == ["holds", "incomplete"]


def test_a_result_comes_from_the_cache() -> None:
    """The second run searches nothing, finds the same, and says so."""
    suite(BREAKS, HOLDS)
    first, second = results(), results()
    assert [result["cached"] for result in first] == [False, False]
    assert [result["cached"] for result in second] == [True, True]
    measured = {"cached": 0, "together": 0, "details": 0}
    assert [{**result, **measured} for result in first] == [
        {**result, **measured} for result in second
    ]
    assert "from the cache of an earlier run" in check("-v").stdout


def test_an_expectation_is_judged_anew() -> None:
    """What is cached is what was found, not whether that is as it should be."""
    suite(HOLDS)
    assert check().exit_code == 0
    suite(HOLDS.replace('"holds"', '"holds", states = 7'))
    assert check().exit_code == 10
    assert results()[0]["cached"] is True


@pytest.mark.parametrize(
    "options",
    [("--no-cache",), ("--bounds", "limit=6"), ("--engine", "naive"), ("--paranoid",)],
)
def test_what_is_not_taken_from_the_cache(options: tuple[str, ...]) -> None:
    """Another search, or one that the user wants done, is done."""
    suite(HOLDS)
    check()
    assert results(*options)[0]["cached"] is False


def test_states_that_are_to_be_written_are_searched(tmp_path: Path) -> None:
    """What is cached has a verdict, and no states."""
    task, cache = task_of(HOLDS, "decided"), ResultCache()
    cache.keep(task, Naive().explore(task.model, task.properties))
    assert cache.find(task) is not None
    settings = evolve(task.settings, states=str(tmp_path))
    assert cache.find(evolve(task, settings=settings)) is None


def test_other_code_is_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of a model, a property or an engine makes what is cached unknown."""
    suite(HOLDS)
    check()
    monkeypatch.setattr(
        "replicheck.cli.tasks.source_digest.of_search_code", lambda: "other"
    )
    assert results()[0]["cached"] is False


def test_a_damaged_cache_costs_a_search_only() -> None:
    """A file that cannot be read is as none."""
    suite(HOLDS)
    check()
    for file in FOLDER.iterdir():
        file.write_bytes(file.read_bytes()[:-9])
    assert results()[0]["cached"] is False


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_every_report_comes_back_as_it_was(engine: Engine) -> None:
    """Runs, counts and the facts of the engine, whatever the cells hold."""
    (task,) = tasks(
        CATALOGUE, ["controller-fails-with-disk-offline"], Overrides("naive")
    )
    limited = Search(Limits(states=100))
    report = engine.explore(task.model, task.properties, limited)
    again = report_of_json(
        json.loads(json.dumps(report_as_json(report))), value_classes(task.system.state)
    )
    assert again == report
    assert report.reached
    measured = [cattrs.unstructure(found.statistics) for found in (again, report)]
    assert json.dumps(measured[0]) == json.dumps(measured[1])


def test_a_cache_runs_nothing() -> None:
    """A class that no model has is not made, wherever it comes from."""
    task = task_of(HOLDS, "decided")
    ResultCache().keep(task, Naive().explore(task.model, task.properties))
    (file,) = FOLDER.iterdir()
    body = SEAL.open(file)
    state = {"$class": "subprocess:Popen", "args": "true"}
    body["report"]["reached"] = {"a_witness": [{"state": 1, "initial": state}]}
    file.write_bytes(SEAL.close(body))
    assert ResultCache().find(task) is None


def test_the_cache_forgets_what_was_used_longest_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Above a number of files or bytes; what was just found is always kept."""
    monkeypatch.setattr("replicheck.cli.runs.result_cache.MOST_FILES", 2)
    found = []
    for limit in (5, 6, 7):
        suite(ENTRY.replace("\n", f"\nbounds = {{ limit = {limit} }}\n", 1))
        found += tasks(toys.catalogue(), ["mine.toml"], Overrides("naive"))
    reports = [Naive().explore(result.model, result.properties) for result in found]
    for number in (0, 1):
        ResultCache().keep(found[number], reports[number])
        os.utime(FOLDER / key(found[number]), (number, number))
    assert ResultCache().find(found[0]) is not None
    ResultCache().keep(found[2], reports[2])
    assert [ResultCache().find(result) is not None for result in found] == [
        True,
        False,
        True,
    ]
    monkeypatch.setattr("replicheck.cli.runs.result_cache.MOST_BYTES", 1)
    ResultCache().keep(found[1], reports[1])
    assert [ResultCache().find(result) is not None for result in found] == [
        False,
        True,
        False,
    ]


def test_what_time_cut_is_not_cached() -> None:
    """Another run may come further; an error may be corrected."""
    suite(ENTRY, ENTRY + 'protocol = "raising"\n')
    check("--limit-seconds", "0.000001")
    assert not FOLDER.exists() or not list(FOLDER.iterdir())
