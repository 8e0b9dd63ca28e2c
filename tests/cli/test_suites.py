"""Suites in CI: states that are shared, results that are cached, entries alone."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

import toys
from engines import ENGINES, name_of
from replicheck.cli.main import main
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

ENTRY = '[[check]]\nscenario = "counter"\n'
HOLDS = ENTRY + 'witnesses = []\nexpect = { verdict = "holds" }\n'
REACHES = ENTRY + 'invariants = []\nwitnesses = ["reaches_its_limit"]\n'
BREAKS = ENTRY + (
    'invariants = ["is_below_two"]\nwitnesses = []\n'
    'expect = { verdict = "violated", violations = { is_below_two = 2 } }\n'
)
UNREACHED = ENTRY + 'invariants = []\nwitnesses = ["exceeds_its_limit"]\n'


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where files may be written."""
    monkeypatch.chdir(tmp_path)


def check(*arguments: str) -> Result:
    """Check the suite of the counters in ``mine.toml``."""
    return CliRunner().invoke(
        main, ["check", "mine.toml", *arguments], obj=toys.catalogue()
    )


def suite(*entries: str) -> None:
    """Write the suite."""
    Path("mine.toml").write_text("\n".join(entries), "utf-8")


def results(*arguments: str) -> list[dict[str, Any]]:
    """Return the results of the suite from its JSON report."""
    found: list[dict[str, Any]] = json.loads(check(*arguments, "--json", "-").stdout)[
        "results"
    ]
    return found


def task_of(entry: str, stop: str) -> Task:
    """Return the task of an entry with a stop."""
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
    assert "visited once for 2 entries" in check("--no-cache").stdout


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
    assert "from the cache of an earlier run" in check().stdout


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


def test_other_code_is_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of a model, a property or an engine makes what is cached unknown."""
    suite(HOLDS)
    check()
    monkeypatch.setattr(
        "replicheck.cli.tasks.source_digest.of_everything", lambda: "other"
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
    (task,) = tasks(CATALOGUE, ["cluster-s6"], Overrides("naive"))
    limited = Search(Limits(states=100))
    report = engine.explore(task.model, task.properties, limited)
    again = report_of_json(
        json.loads(json.dumps(report_as_json(report))), value_classes(task.system.state)
    )
    assert again == report
    assert report.reached
    known = {name: again.details[name] for name in report.details}
    assert json.dumps(known) == json.dumps(report.details)


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
    """Another run may come further; an error may be mended."""
    suite(ENTRY, ENTRY + 'protocol = "raising"\n')
    check("--limit-seconds", "0.000001")
    assert not FOLDER.exists() or not list(FOLDER.iterdir())


def test_a_resumed_result_is_not_cached() -> None:
    """What it covered before is not known, so no later run takes it for the whole."""
    task = task_of(HOLDS, "decided")
    report = Naive().explore(task.model, task.properties)
    resumed = evolve(report, details={"coverage": {"resumed": True}})
    ResultCache().keep(task, resumed)
    assert ResultCache().find(task) is None
    ResultCache().keep(task, report)
    assert ResultCache().find(task) == report


def test_the_command_repeats_an_entry_with_its_verdict() -> None:
    """It checks the entry alone, expectation and declarations included."""
    suite(HOLDS, BREAKS, ENTRY + 'protocol = "dead"\n')
    for whole in results("--engine", "naive"):
        words = whole["command"].split()
        assert words[:3] == ["replicheck", "check", "mine.toml"]
        (again,) = results(*words[3:])
        measured = {"seconds": 0, "cached": 0, "together": 0, "coverage": 0}
        assert {**again, **measured} == {**whole, **measured}


def test_the_command_repeats_a_scenario_of_the_suite() -> None:
    """A scenario that only the suite knows is repeated by its entry."""
    own = (
        '[scenarios.mine]\nsummary = "Mine"\nmodel = "counter"\nprotocol = "up"\n'
        'invariants = ["is_below_two"]\n'
    )
    suite(own, '[[check]]\nscenario = "mine"\nbounds = { limit = 3 }\n')
    (result,) = results()
    assert result["scenario"] == "mine"
    words = result["command"].split()[1:]
    done = CliRunner().invoke(main, words, obj=toys.catalogue())
    assert done.exit_code == 12


def test_the_command_names_only_what_differs() -> None:
    """Bounds that are the scenario's own need not be said again."""
    arguments = ["check", "counter", "--json", "-"]
    whole = CliRunner().invoke(main, arguments, obj=toys.catalogue()).stdout
    (result,) = json.loads(whole)["results"]
    assert result["command"] == (
        "replicheck check counter --protocol up --engine breadth-first"
    )
    changed = [*arguments, "--bounds", "limit=7"]
    whole = CliRunner().invoke(main, changed, obj=toys.catalogue()).stdout
    assert "--bounds limit=7" in json.loads(whole)["results"][0]["command"]


def test_a_broken_suite() -> None:
    """What is wrong with the file is one line, before any search; the code is 151."""
    suite(HOLDS, ENTRY + 'protocl = "up"\n')
    done = check()
    assert done.exit_code == 151
    assert done.stderr == (
        "Error: mine.toml: check[2].protocl: there is no such key; did you mean"
        ' "protocol"?\n'
    )
    assert done.stdout == ""


def test_an_entry_that_is_not_there() -> None:
    """The message says how many there are."""
    suite(HOLDS)
    done = check("--entry", "2")
    assert done.exit_code == 151
    assert (
        "--entry: is 2, expected 1 to 1: so many entries has mine.toml" in done.stderr
    )


VACUOUS = ENTRY + 'invariants = ["above_its_limit_it_is_even"]\nwitnesses = []\n'


def test_an_invariant_that_claims_nothing_is_named() -> None:
    """It is said, and is no failure as long as the scenario says nothing of it."""
    suite(VACUOUS)
    done = check()
    assert done.exit_code == 0
    assert (
        "claims nothing, since nothing fulfils its premise: above_its_limit_it_is_even"
        in done.stdout
    )


def test_a_vacuous_scenario() -> None:
    """Where the scenario says which invariants may claim nothing, others fail."""
    suite(VACUOUS + "vacuous = []\n")
    done = check()
    assert done.exit_code == 10
    assert (
        "nothing fulfils the premise of above_its_limit_it_is_even: the bounds are too"
        " small to show anything" in done.stdout
    )


def test_a_declared_vacuous_invariant() -> None:
    """What is declared is as expected."""
    suite(VACUOUS + 'vacuous = ["above_its_limit_it_is_even"]\n')
    assert check().exit_code == 0


def test_a_premise_that_holds_though_it_is_declared_vacuous() -> None:
    """A declaration that is not true any more fails the check."""
    suite(
        ENTRY
        + 'invariants = ["at_its_limit_it_is_odd"]\nbounds = { limit = 3 }\n'
        + 'vacuous = ["at_its_limit_it_is_odd"]\n'
    )
    done = check()
    assert done.exit_code == 10
    assert "declared in `vacuous`, but it was seen" in done.stdout


CONSTRAINED = ENTRY + 'protocol = "constrained"\nbounds = { limit = 9 }\n'


def test_a_constraint_that_cuts_is_never_holds() -> None:
    """The check is incomplete, and says which constraint cut how many states."""
    suite(CONSTRAINED)
    done = check()
    assert done.exit_code == 77
    assert (
        "incomplete: visited the 7 states within the constraints, depth 7;"
        " is_at_most_five keeps 1 state from being expanded" in done.stdout
    )
    assert "does not mean that the properties hold" in done.stdout


def test_a_constraint_that_cuts_is_accepted_or_expected() -> None:
    """As with a limit; and the counts of such a search can be expected."""
    suite(CONSTRAINED)
    assert check("--accept-incomplete").exit_code == 0
    expected = 'expect = { verdict = "incomplete", states = 7, depth = %d }\n'
    suite(CONSTRAINED + expected % 7)
    assert check().exit_code == 0
    suite(CONSTRAINED + expected % 8)
    assert check().exit_code == 10


def test_entries_that_share_a_constraint() -> None:
    """Each part of a common search is as incomplete as the whole."""
    suite(CONSTRAINED, CONSTRAINED + "witnesses = []\n")
    document = json.loads(check("--json", "-").stdout)
    for result in document["results"]:
        assert (result["verdict"], result["together"]) == ("incomplete", 2)
        assert result["coverage"]["constraints"] == {"is_at_most_five": 1}
        assert result["unexpanded"] == 0


def test_a_violation_by_another_action_is_saved() -> None:
    """The report names it in its group, with the file of its run."""
    suite(
        ENTRY
        + 'protocol = "round"\ninvariants = []\nsteps = ["never_goes_down"]\n'
        + "witnesses = []\n"
    )
    document = json.loads(check("--json", "-").stdout)
    (group,) = document["violations"]
    assert group["action"] == "start_again"
    assert Path(group["file"]).exists()


def test_a_suite_asks_for_every_violation() -> None:
    """Every state is visited, though nothing is left to decide; entries share them."""
    every = BREAKS.replace("[[check]]", '[[check]]\nstop = "exhausted"')
    suite(every, ENTRY + 'stop = "exhausted"\n')
    for result in results():
        assert (result["states"], result["exhausted"]) == (6, True)
        assert (result["unexpanded"], result["together"]) == (0, 2)
    done = check("--all-violations", "--entry", "1", "--no-cache")
    assert "violated: visited all 6 states" in done.stdout
    assert "--entry 1 --engine breadth-first --all-violations" in done.stdout


def test_a_cut_search_says_nothing_of_premises() -> None:
    """What was not seen may come yet."""
    suite(VACUOUS + "vacuous = []\nlimits = { depth = 2 }\n")
    done = check()
    assert done.exit_code == 77
    assert "premise" not in done.stdout
