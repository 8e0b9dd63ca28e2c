"""``replicheck check``: expectations that are met or not, and what was never seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.checks import UP, check, check_suite, report_of
from command_line.messages import require_message
from replicheck.cli.console import options
from replicheck.cli.main import main
from shipped import CATALOGUE

STEP, WITNESS = "isr_change_keeps_leader_epoch", "isr_change_is_in_flight"

pytestmark = pytest.mark.usefixtures("elsewhere")


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
    assert "expectation skipped, since --bounds changed the search" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--step", STEP), "--step"),
        (("--witness", WITNESS), "--witness"),
        (("--invariant", STEP), "--invariant"),
        (("--step", STEP, "--witness", WITNESS), "--step and --witness"),
    ],
)
def test_the_options_that_name_properties_are_told_as_they_were_given(
    words: tuple[str, ...], told: str
) -> None:
    """Each option that chooses properties makes the expected outcomes void."""
    done = CliRunner().invoke(main, ["check", "alter-isr", *words], obj=CATALOGUE)
    assert f"expectation skipped, since {told} changed the search" in done.stdout


def test_the_same_bounds_void_nothing() -> None:
    """Bounds that are as they were change nothing."""
    done = check("counter", "--bounds", "limit=5")
    assert "expectation skipped" not in done.stdout


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
        (
            ["counter", "limit=2"],
            "limit=2: this is no scenario, suite or file: bounds are given as `--b",
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
        (["--bounds", "limit=1", "--bounds", "limit=1"], "limit is given twice"),
        (["--limit-seconds", "nan"], "'--limit-seconds': 'nan' is not a finite"),
        (["--limit-seconds", "inf"], "'--limit-seconds': 'inf' is not a finite"),
        (["--buckets", "2"], "--buckets is not heeded by the engine breadth-first:"),
        (["--engine", "nave"], "'--engine': 'nave' is not"),
        (["--limit-states", "0"], "'--limit-states': 0 is not in the range"),
        (["--limit-memory", "lots"], "'lots' is no size such as 500M, 1.5G or 2GiB"),
        (["--limit-memory", "0.4"], "'0.4' is no size such as 500M, 1.5G or 2GiB"),
        (
            ["--engine", "naive", "--symmetry"],
            "--symmetry is not heeded by the engine naive:",
        ),
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


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ('"holds", states = 0', "expect.states: is 0, expected a value >= 1"),
        ('"holds", depth = -3', "expect.depth: is -3, expected a value >= 1"),
        (
            '"violated", violations = { is_below_two = 0 }',
            "expect.violations.is_below_two: is 0, expected a number of states >= 1",
        ),
        (
            '"holds", violations = { is_below_two = 3 }',
            'expect.verdict: is "holds", and `violations` names some: expected "viol',
        ),
        (
            '"incomplete", violations = { is_below_two = 3 }',
            'expect.verdict: is "incomplete", and `violations` names some',
        ),
    ],
)
def test_an_expectation_that_no_search_can_meet(expected: str, message: str) -> None:
    """It is refused with its place, before anything is searched."""
    names = 'invariants = ["is_below_two"]'
    done = check_suite(names, f"expect = {{ verdict = {expected} }}")
    require_message(done, 151, f"mine.toml: check[1].{message}")
