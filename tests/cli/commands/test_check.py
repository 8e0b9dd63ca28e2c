"""``replicheck check``: messages, exit codes and the JSON report."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import toys
from replicheck.cli.console import options
from replicheck.cli.main import main
from replicheck.cli.reports import terminal
from replicheck.cli.saved_traces.loaded_trace import read_trace

UP = '[[check]]\nscenario = "counter"\n'


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where traces may be written."""
    monkeypatch.chdir(tmp_path)


def check(*arguments: str) -> Result:
    """Run `replicheck check` with the counters as the only scenario."""
    return CliRunner().invoke(main, ["check", *arguments], obj=toys.catalogue())


def check_suite(*lines: str) -> Result:
    """Check a suite of one counter, with these lines added to its entry."""
    Path("mine.toml").write_text(UP + "\n".join(lines), "utf-8")
    return check("mine.toml")


def report_of(*arguments: str) -> dict[str, Any]:
    """Return the only result of the JSON report."""
    done = check(*arguments, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    assert isinstance(result, dict)
    return result


def test_a_property_that_holds() -> None:
    """The result says how many states were visited, and the code is 0."""
    done = check("counter")
    assert done.exit_code == 0
    assert "holds: visited all 6 states, depth 4" in done.stdout
    assert "as expected" in done.stdout


def test_no_argument_is_the_default_suite() -> None:
    """Without argument, the default suite is checked."""
    assert "counter, up, limit=5" in check().stdout


def test_several_results_end_with_what_to_look_at() -> None:
    """The last lines count the results, and name those that fail."""
    Path("mine.toml").write_text(UP + UP + "bounds = { limit = 3 }", "utf-8")
    done = check("mine.toml", "--invariant", "is_below_two")
    assert done.stdout.endswith(
        "\n2 results, 2 of them not as they should be; exit code 12\n"
        "  exit 12: counter, up, limit=5\n"
        "  exit 12: counter, up, limit=3\n"
    )


def test_of_several_results_the_expected_only_name_their_runs() -> None:
    """Which are kept; those of the others are told."""
    asked = UP + 'invariants = ["is_below_two"]\n'
    wanted = 'expect = { verdict = "violated", violations = { is_below_two = 2 } }\n'
    entries = asked + wanted + asked + "bounds = { limit = 3 }"
    Path("mine.toml").write_text(entries, "utf-8")
    done = check("mine.toml")
    expected, _, other = done.stdout.partition("counter, up, limit=3\n")
    assert "  violated after 2 states: is_below_two\n" in expected
    assert "VIOLATED is_below_two" not in expected
    assert "VIOLATED is_below_two" in other
    (show,) = re.findall("replicheck trace show (.*)\n", expected)
    assert Path(show).exists()


def test_a_suite_with_a_byte_order_mark() -> None:
    """Some editors begin a text in UTF-8 with one."""
    Path("mine.toml").write_text(UP, "utf-8-sig")
    assert check("mine.toml").exit_code == 0


def test_figures_are_whole_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What has no room is the bounds, which stand below anyway."""
    monkeypatch.setattr(terminal, "WIDTH_OF_FILES", 80)
    table = check("counter").stdout.partition("\n\n")[0]
    assert "holds" in table
    assert "as expected" in table
    assert "limit" not in table


def test_a_violated_invariant() -> None:
    """The story has every step with what it changed, and the code is 12."""
    done = check("counter", "--invariant", "is_below_two", "--bounds", "limit=3")
    assert done.exit_code == 12
    assert "VIOLATED is_below_two: the shortest run has 2 states" in done.stdout
    assert "The number is 0 or 1." in done.stdout
    assert "add(amount=2)" in done.stdout
    assert "value  0 -> 2" in done.stdout
    assert "State 2 breaks it: is_below_two" in done.stdout


def test_a_violation_is_saved() -> None:
    """The file that the story names holds the same run."""
    result = report_of("counter", "--invariant", "is_below_two")
    (violation,) = result["violations"]
    saved = read_trace(toys.catalogue(), Path(violation["file"]))
    assert saved.header.property == "is_below_two"
    assert saved.header.bounds == {"limit": 5}
    assert [state.value for state in saved.trace.states] == [0, 2]
    assert len(violation["trace"]) == violation["states"] == 2


def test_a_violated_step_property() -> None:
    """A step property has a code of its own."""
    done = check("counter", "--protocol", "round", "--invariant", "never_goes_down")
    assert done.exit_code == 13
    assert "The step to state 5 breaks it: never_goes_down" in done.stdout


def test_a_deadlock() -> None:
    """A deadlock has a code of its own."""
    done = check("counter", "--invariant", "some_action_is_enabled")
    assert done.exit_code == 11
    assert "State 4 has no enabled action" in done.stdout


def test_an_action_that_raises() -> None:
    """The action, the exception and the way to the state are shown; the code is 75."""
    done = check("counter", "--protocol", "raising")
    assert done.exit_code == 75
    assert "ERROR break_down raised ZeroDivisionError: two is too much" in done.stdout
    assert "It was called on state 3:" in done.stdout
    assert "Traceback" not in done.output


def test_an_error_in_json() -> None:
    """The JSON report has the verdict, the function and the trace."""
    result = report_of("counter", "--protocol", "raising")
    assert result["verdict"] == "error"
    assert result["failure"]["function"] == "break_down"
    assert result["failure"]["states"] == 3


def test_a_limit_cuts() -> None:
    """What a limit left is said; nothing is said to hold; the code is 77."""
    done = check("counter", "--limit-depth", "2")
    assert done.exit_code == 77
    assert (
        "incomplete: visited 3 states; 2 of them, all at depth 2, are not expanded:"
        " the limit on depth cut the search" in done.stdout
    )
    assert "undecided: is_within_its_limit, reaches_its_limit" in done.stdout
    assert "holds:" not in done.stdout


def test_an_endless_model_within_a_limit() -> None:
    """An infinite model is cut by the number of states."""
    done = check("counter", "--protocol", "endless", "--limit-states", "50")
    assert done.exit_code == 12
    assert "is_within_its_limit is violated after 7 states" in done.stdout


def test_an_incomplete_search_is_accepted() -> None:
    """With the option, a cut search is no failure, and still incomplete."""
    done = check("counter", "--limit-depth", "2", "--accept-incomplete")
    assert done.exit_code == 0
    assert "incomplete: " in done.stdout


def test_a_declared_cut() -> None:
    """A suite can expect a search to be cut."""
    lines = 'expect = { verdict = "incomplete" }', "limits = { depth = 2 }"
    assert check_suite(*lines).exit_code == 0


def test_an_expected_violation() -> None:
    """A violation that a suite expects, at the right length, is a success."""
    done = check_suite(
        'invariants = ["is_below_two"]',
        'expect = { verdict = "violated", violations = { is_below_two = 2 } }',
    )
    assert done.exit_code == 0
    assert "VIOLATED is_below_two" in done.stdout


def test_an_expected_violation_of_another_length() -> None:
    """A violation of another length is an unmet expectation."""
    done = check_suite(
        'invariants = ["is_below_two"]',
        'expect = { verdict = "violated", violations = { is_below_two = 3 } }',
    )
    assert done.exit_code == 10
    assert "is_below_two is violated after 2 states, expected 3" in done.stdout


def test_an_expected_violation_that_is_none() -> None:
    """A property that holds against expectation is an unmet expectation."""
    done = check_suite(
        'expect = { verdict = "violated", violations = { is_within_its_limit = 3 } }'
    )
    assert done.exit_code == 10
    assert "is_within_its_limit is not violated, expected a run of 3" in done.stdout


def test_an_expected_violation_of_any_length() -> None:
    """Without names, any violation is the expected one."""
    lines = 'invariants = ["is_below_two"]', 'expect = { verdict = "violated" }'
    assert check_suite(*lines).exit_code == 0


def test_a_trace_that_cannot_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the file, not the result."""

    def fail(path: Path, text: str) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("replicheck.cli.runs.trace_files.write_atomically", fail)
    done = check("counter", "--invariant", "is_below_two")
    assert done.exit_code == 12
    assert "not every trace could be saved: No space left on device" in done.stdout


def test_a_run_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the checkpoints, not the search, and no file is left."""

    def fail(handle: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    done = check("counter", "--checkpoint-every", "0")
    assert done.exit_code == 0
    assert "no checkpoint could be written, so the search went on in" in done.stdout
    assert done.stdout.count("No space left on device") == 1
    assert not Path(".replicheck").exists()


def test_another_violation_than_the_expected_one() -> None:
    """A violation that nobody expects is more severe than an unmet expectation."""
    done = check_suite(
        'invariants = ["is_below_two", "is_within_its_limit"]',
        'expect = { verdict = "violated", violations = { is_within_its_limit = 3 } }',
    )
    assert done.exit_code == 12


def test_another_number_of_states() -> None:
    """The expected number of states is compared."""
    done = check_suite('expect = { verdict = "holds", states = 7 }')
    assert done.exit_code == 10
    assert "states: 6, expected 7" in done.stdout


def test_a_dead_action() -> None:
    """An action that no state enables fails the check and is named."""
    done = check_suite('protocol = "dead"')
    assert done.exit_code == 10
    assert "no state enables the action subtract_too_much" in done.stdout


def test_a_declared_dead_action() -> None:
    """A scenario can declare that an action is dead."""
    done = check_suite('protocol = "dead"', 'dead_actions = ["subtract_too_much"]')
    assert done.exit_code == 0


def test_a_wrongly_declared_dead_action() -> None:
    """A declaration that is not true any more fails the check."""
    done = check_suite('dead_actions = ["add"]')
    assert done.exit_code == 10
    assert "add is declared in `dead_actions`, but it was seen" in done.stdout


def test_an_unreached_witness() -> None:
    """A witness that no state fulfils fails the check and is named."""
    done = check_suite('witnesses = ["exceeds_its_limit"]')
    assert done.exit_code == 10
    assert "no state is a witness of exceeds_its_limit" in done.stdout


def test_a_declared_unreached_witness() -> None:
    """A scenario can declare that a witness is not reached."""
    lines = 'witnesses = ["exceeds_its_limit"]', 'unreached = ["exceeds_its_limit"]'
    assert check_suite(*lines).exit_code == 0


def test_an_unreached_witness_in_a_cut_search() -> None:
    """A witness that a cut search did not reach is undecided, not missing."""
    done = check("counter", "--limit-depth", "2")
    assert "no state is a witness" not in done.stdout


def test_options_void_the_expectation() -> None:
    """Other bounds have other counts, so the expected ones do not apply."""
    done = check("counter", "--bounds", "limit=9")
    assert done.exit_code == 0
    assert "its expectation does not apply, since --bounds changed it" in done.stdout


def test_the_same_bounds_void_nothing() -> None:
    """Bounds that are as they were change nothing."""
    done = check("counter", "--bounds", "limit=5")
    assert "does not apply" not in done.stdout


def test_options_that_make_entries_equal() -> None:
    """A search is done once; the entry that is as it was keeps its expectation."""
    entries = [
        f'[[check]]\nscenario = "counter"\nprotocol = "{p}"' for p in ("dead", "up")
    ]
    Path("mine.toml").write_text("\n".join(entries), "utf-8")
    done = check("mine.toml", "--protocol", "up", "--json", "-")
    assert len(json.loads(done.stdout)["results"]) == 1


def test_the_worst_of_several() -> None:
    """The code of a run is that of its most severe result, wherever it is."""
    Path("mine.toml").write_text(
        UP + 'protocol = "raising"\n' + UP + 'invariants = ["is_below_two"]\n' + UP,
        "utf-8",
    )
    assert check("mine.toml").exit_code == 75


def test_keep_going() -> None:
    """With the option, a search goes on until every property is decided."""
    names = "--invariant", "is_below_two", "--invariant", "is_within_its_limit"
    result = report_of("counter", *names, "--keep-going")
    assert result["outcomes"] == {
        "is_within_its_limit": "holds",
        "is_below_two": "violated",
    }
    assert result["exhausted"] is True


def test_the_json_report() -> None:
    """Standard output is one document with the promised keys."""
    done = check("counter", "--json", "-")
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    (result,) = document["results"]
    promised = {
        "scenario": "counter",
        "protocol": "up",
        "bounds": {"limit": 5},
        "engine": "breadth-first",
        "verdict": "holds",
        "states": 6,
        "generated": 9,
        "depth": 4,
        "violations": [],
        "actions": {"add": {"generated": 9, "enabled": 9}},
        "witnesses": {"reaches_its_limit": 4},
        "as_expected": True,
    }
    assert {key: result[key] for key in promised} == promised
    assert "visited all 6 states" in done.stderr


def test_the_json_report_in_a_file() -> None:
    """The document is written to a file, and the text to standard output."""
    done = check("counter", "--json", "report.json")
    assert json.loads(Path("report.json").read_text("utf-8"))["exit_code"] == 0
    assert "visited all 6 states" in done.stdout


def test_the_command_that_repeats_a_result() -> None:
    """The command of a result gives the same result."""
    options = "--protocol", "round", "--invariant", "never_goes_down"
    first = report_of("counter", *options, "--limit-states", "99", "--keep-going")
    words = first["command"].split()
    assert words[:2] == ["replicheck", "check"]
    again = report_of(*words[2:])
    measured = {"seconds": 0, "details": {}, "cached": True}
    assert {**again, **measured} == {**first, **measured}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["conter"], "conter: there is no such scenario, suite or file; did you mean"),
        (
            ["."],
            ".: this is a folder: name a scenario, a suite, or a file with a suite",
        ),
        (["no.toml"], "no.toml: cannot be read: No such file or directory"),
        (
            ["--protocol", "upp"],
            '--protocol: there is no protocol "upp"; did you mean "up"?',
        ),
        (["--invariant", "is_below_too"], 'did you mean "is_below_two"?'),
        (["--bounds", "limit=0"], "--bounds: limit: is 0, expected a value >= 1"),
        (["--bounds", "limit=x"], '--bounds: limit: is "x", expected an integer'),
        (
            ["--bounds", "limt=1"],
            '--bounds: limt: there is no such bound; did you mean "limit"?',
        ),
    ],
)
def test_a_scenario_that_cannot_be(arguments: list[str], message: str) -> None:
    """What is wrong is said in one line, and the code is 151."""
    done = check(*arguments)
    assert done.exit_code == 151
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_which_of_several_scenarios_lacks_a_name() -> None:
    """An option is for all of them; the message names the first that cannot take it."""
    Path("mine.toml").write_text(UP + UP, "utf-8")
    done = check("mine.toml", "--protocol", "upp")
    assert done.exit_code == 151
    assert done.stderr.startswith("Error: counter: --protocol: there is no protocol")


def test_a_disk_that_takes_no_more() -> None:
    """The reason is a limit that was given, or the disk itself."""
    done = check("counter", "--limit-disk", "1", "--checkpoint-every", "0")
    assert done.exit_code == 77
    assert "a limit on the disk, or a full disk, cut the search" in done.stdout


def test_a_budget_of_memory_that_cannot_be_kept() -> None:
    """The search goes on on the disk, and the text says what it took."""
    done = check("counter", "--limit-memory", "1M")
    assert done.exit_code == 0
    assert "MB of it are its own" in done.stdout
    assert "that is more than the 1 MB that it may take" in done.stdout


@pytest.mark.parametrize(
    ("text", "size"),
    [("5", 5), ("500M", 500 * 10**6), ("1.5 GB", 1_500_000_000), ("0.5kib", 512)],
)
def test_a_size(text: str, size: int) -> None:
    """Units are of 1000, or with an i of 1024; fractions are allowed."""
    assert options.size(text) == size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bounds", "limit"], "is not of the form key=value"),
        (["--bounds", "limit=1,limit=2"], "'limit=1,limit=2' has limit twice"),
        (["--limit-seconds", "nan"], "'--limit-seconds': 'nan' is not a finite"),
        (["--limit-seconds", "inf"], "'--limit-seconds': 'inf' is not a finite"),
        (["--buckets", "2"], "breadth-first has no buckets; those that have: spark"),
        (["--engine", "nave"], "'--engine': 'nave' is not"),
        (["--limit-states", "0"], "'--limit-states': 0 is not in the range"),
        (["--limit-memory", "lots"], "'lots' is no size such as 500M, 1.5G or 2GiB"),
        (["--limit-memory", "0.4"], "'0.4' is no size such as 500M, 1.5G or 2GiB"),
        (["--engine", "naive", "--symmetry"], "naive has no symmetry; those that have"),
        (
            ["--engine", "naive", "--limit-disk", "1G"],
            "naive does not heed a limit on disk",
        ),
        (["--json", "none/x.json"], "--json: there is no directory none"),
        (["--json", "."], "--json: . is a directory"),
        (["--traces", "file/x"], "is no directory"),
        (["--limit-stats", "1"], "--limit-states"),
    ],
)
def test_a_command_line_that_is_wrong(arguments: list[str], message: str) -> None:
    """Wrong options are refused before anything is searched; the code is 2."""
    Path("file").touch()
    done = check("counter", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""
