"""Reductions as users choose them, and as reports, traces and runs name them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from replicheck.cli.reports.text.walk_report import document
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.cli.tasks.run_request import RunRequest
from replicheck.cli.tasks.task import Overrides, tasks
from shipped import CATALOGUE

KNOWN = "skip-redundant-responses"
BOTH = [KNOWN, "merge-redundant-responses"]
"""All reductions of the cluster."""
AT_ONCE = ("--reduce", "--reduce-beyond", "0", "--threads", "1")
LOST = "unclean-leader-is-elected"
"""A scenario whose search ends soon, with a violation."""

pytestmark = pytest.mark.usefixtures("elsewhere")


def run(*arguments: str) -> Result:
    """Run a command with what is shipped."""
    return CliRunner().invoke(main, arguments, obj=CATALOGUE)


def test_a_reduced_search_says_that_it_is_one() -> None:
    """The verdict is the same, and the counts are told apart from those of all."""
    done = run("check", "topic-deleted-with-disk-offline", *AT_ONCE)
    assert done.exit_code == 0
    assert "states of a reduced search" in done.stdout
    assert "--reduce: without it there are 351 states" in done.stdout


def test_a_small_search_is_not_reduced_and_says_so() -> None:
    """It takes less time than a reduced one, unless that is asked for at once."""
    done = run("check", "topic-deleted-with-disk-offline", "--reduce")
    assert done.exit_code == 0
    assert "visited all 351 states," in done.stdout
    assert "left out of a search of at most 50,000,000 states" in done.stdout


def test_a_search_that_left_nothing_out_says_that_its_states_are_all() -> None:
    """It gave up leaving out steps."""
    done = run("check", "kraft-log-is-cut-at-once", *AT_ONCE)
    assert done.exit_code == 0
    assert "visited all 6,952 states," in done.stdout
    assert "--reduce: too few steps can be left out, so none were" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--engine", "naive"), "the engine naive cannot leave out steps"),
        (("--engine", "naive"), "those that can: breadth-first, spark"),
        (("--engine", "spark", "--states", "s"), "--reduce and --states"),
        (("--symmetry",), "--reduce and --symmetry"),
        (("--reduce-beyond", "-1"), "Invalid value for '--reduce-beyond'"),
        (("--checkpoint", "kept"), "--checkpoint: a search with --reduce keeps none"),
    ],
)
def test_what_a_reduced_search_cannot_do_is_refused(
    options: tuple[str, ...], message: str
) -> None:
    """Whatever is not proved together with it."""
    done = run("check", "topic-deleted-with-disk-offline", "--reduce", *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_number_of_states_is_refused_without_the_reduction() -> None:
    """It would change nothing."""
    done = run("check", "topic-deleted-with-disk-offline", "--reduce-beyond", "5")
    assert done.exit_code == 2
    assert "--reduce-beyond: no step is left out without --reduce" in done.stderr


def test_the_command_that_repeats_a_reduced_search_says_when_it_begins() -> None:
    """So it is repeated as it was."""
    done = run("check", "topic-deleted-with-disk-offline", *AT_ONCE, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    assert "--reduce --reduce-beyond 0" in result["command"]


def test_a_report_says_which_reductions_are_on() -> None:
    """In the JSON document, beside the bounds, and in the command that repeats it."""
    done = run("check", LOST, "--step-reductions", "all", "--json", "-")
    assert done.exit_code == 12
    (result,) = json.loads(done.stdout)["results"]
    assert result["reductions"] == BOTH
    assert f"--step-reductions {KNOWN}" in result["command"]


def test_a_text_says_which_reductions_are_on_and_that_none_is() -> None:
    """The table has them among the bounds; without any the text says none."""
    assert f"reduction={KNOWN}" in run("check", LOST, "--step-reductions", KNOWN).stdout
    assert "reductions: none" in run("check", LOST).stdout


def test_an_action_with_nothing_left_to_do_need_not_be_declared() -> None:
    """A reduction spares it; what else no state enables has to be declared still."""
    done = run(
        "check",
        "preferred-leader-after-disk-replacement",
        "--step-reductions",
        KNOWN,
        "--json",
        "-",
    )
    (result,) = json.loads(done.stdout)["results"]
    assert result["actions"]["handle_leader_and_isr_response"]["enabled"] == 0
    assert (done.exit_code, result["findings"]) == (0, [])


def test_a_declared_dead_action_goes_by_its_name_without_the_reduction() -> None:
    """On the command line, and in a suite that declares more."""
    done = run(
        "check",
        "composed-all-partitions-fail",
        "--step-reductions",
        KNOWN,
        "--json",
        "-",
    )
    (result,) = json.loads(done.stdout)["results"]
    assert result["actions"]["receive_unknown"]["enabled"] == 0
    assert (done.exit_code, result["findings"]) == (0, [])
    entry = '[[check]]\nscenario = "composed-all-partitions-fail"\n'
    entry += f'reductions = ["{KNOWN}"]\n'
    Path("mine.toml").write_text(entry, "utf-8")
    assert run("check", "mine.toml").exit_code == 0


def test_a_trace_is_replayed_with_the_reductions_it_was_found_under() -> None:
    """Its header names them, and the run can be taken with these steps only."""
    assert (
        run("check", LOST, "--step-reductions", KNOWN, "--traces", "found").exit_code
        == 12
    )
    path = next(Path("found").glob("*current_leader*"))
    assert read_trace(CATALOGUE, path).header.reductions == (KNOWN,)
    assert run("trace", "replay", str(path)).exit_code == 12
    shown = run("trace", "show", str(path), "--format", "pytest")
    assert f"reductions=('{KNOWN}',)" in shown.stdout


def test_a_trace_of_no_merge_names_none() -> None:
    """So a trace that was saved before there were any is still what its digest says."""
    run("check", LOST, "--traces", "found")
    path = next(Path("found").glob("*current_leader*"))
    assert "reductions" not in path.read_text("utf-8").splitlines()[0]
    assert read_trace(CATALOGUE, path).header.reductions == ()


def test_an_entry_of_a_suite_turns_reductions_on() -> None:
    """Its expectation is of the merged states; the command line turns them off."""
    text = '[[check]]\nscenario = "failed-disk-is-replaced"\n'
    text += 'reductions = ["skip-redundant-responses"]\n'
    expect = 'expect = { verdict = "holds", states = 1386 }\n'
    Path("mine.toml").write_text(text + expect, "utf-8")
    assert run("check", "mine.toml").exit_code == 0
    whole = run("check", "mine.toml", "--step-reductions", "none", "--json", "-")
    (result,) = json.loads(whole.stdout)["results"]
    assert (result["states"], result["reductions"]) == (8638, [])


def test_an_entry_with_an_unknown_merge_is_refused() -> None:
    """The message has its place in the file, and what there is."""
    text = (
        '[[check]]\nscenario = "failed-disk-is-replaced"\nreductions = ["responses"]\n'
    )
    Path("mine.toml").write_text(text, "utf-8")
    done = run("check", "mine.toml")
    assert done.exit_code == 151
    assert (
        'check[1].reductions: there is no reduction "responses"; did you' in done.stderr
    )


def test_a_run_is_resumed_with_its_reductions() -> None:
    """The order that a run folder keeps has them."""
    found = tasks(CATALOGUE, [LOST], Overrides("breadth-first", reductions=("all",)))
    order = RunRequest(tuple(found), Path("found"))
    kept = json.loads(json.dumps(order.as_json))
    again = RunRequest.of_json(kept, CATALOGUE, Path("run.json"))
    assert list(again.tasks[0].scenario.reductions) == BOTH
    assert KNOWN in again.tasks[0].title


def test_a_report_of_walks_says_which_reductions_are_on() -> None:
    """As that of a search does."""
    (task,) = tasks(CATALOGUE, [LOST], Overrides("breadth-first", reductions=("all",)))
    assert json.loads(document(WalkOutcome(task, 0, ())))["reductions"] == BOTH


def test_a_scenario_is_shown_with_what_can_be_merged() -> None:
    """Each reduction with what it takes together and why nothing can tell."""
    shown = run("show", "failed-disk-is-replaced").stdout
    assert "Reductions, all off:" in shown
    assert KNOWN in shown


def test_a_run_says_what_each_step_of_a_reduction_does() -> None:
    """As it does of the steps that the reduction replaces."""
    shown = run("check", LOST, "--step-reductions", "all").stdout
    lines = shown.splitlines()
    steps = [line for line in lines if "handle_and_receive(" in line]
    assert steps
    assert all("The broker obeys" in line for line in steps)
