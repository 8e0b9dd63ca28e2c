"""``replicheck check``: messages, exit codes and the JSON report."""

from __future__ import annotations

import re
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

import toys
from command_line.checks import UP, check, check_suite, report_of
from command_line.full_disk import NO_SPACE, fill_disk
from replicheck.cli.reports.text import suite_listing, terminal
from replicheck.cli.results.result import Result
from replicheck.cli.runs.searches import Searches
from replicheck.cli.saved_traces.trace_reading import read_trace

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_a_property_that_holds() -> None:
    """The result says how many states were visited, and the code is 0."""
    done = check("counter")
    assert done.exit_code == 0
    assert "holds: visited all 6 states, depth 4" in done.stdout
    assert "as expected" in done.stdout


def test_no_argument_is_the_default_suite() -> None:
    """Without argument, the default suite is checked."""
    assert "counter, up, limit=5" in check().stdout


def test_several_results_have_a_line_each_and_a_total() -> None:
    """A line says what came of each; what fails is told below; the last line counts."""
    asked = UP + 'invariants = ["is_below_two"]\n'
    wanted = 'expect = { verdict = "violated", violations = { is_below_two = 2 } }\n'
    entries = asked + wanted + asked + "bounds = { limit = 3 }"
    Path("mine.toml").write_text(entries, "utf-8")
    done = check("mine.toml")
    first, second, reason, *_, total = done.stdout.splitlines()
    assert re.fullmatch(
        r"ok    counter up limit=5  violated @ 2, as expected +3 states +\S+ s", first
    )
    assert re.fullmatch(
        r"FAIL  counter up limit=3  violated @ 2 +3 states +\S+ s", second
    )
    assert reason.startswith("      is_below_two is violated")
    assert done.stdout.count("VIOLATED is_below_two") == 1
    kinds = "1 failed, 1 passed (1 with an expected violation); exit code 12; "
    assert total.startswith(kinds)
    assert total.endswith("s; counterexamples in counterexamples")


@pytest.mark.parametrize("options", [(), ("-v",)])
def test_a_line_is_printed_when_its_result_is_final(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of the first result is out before the second search begins."""
    Path("mine.toml").write_text(UP + UP + "bounds = { limit = 3 }", "utf-8")
    printed: list[str] = []
    original = Searches.result

    def result(searches: Searches, number: int) -> Result:
        sys.stdout.flush()
        assert isinstance(sys.stdout, TextIOWrapper)
        buffer = sys.stdout.buffer
        assert isinstance(buffer, BytesIO)
        printed.append(buffer.getvalue().decode())
        return original(searches, number)

    monkeypatch.setattr(Searches, "result", result)
    assert check("mine.toml", "--no-cache", *options).exit_code == 0
    before, between = printed
    assert before == ""
    assert between.startswith("ok    counter up limit=5  holds")


def test_results_of_one_scenario_share_a_line_in_a_long_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If all are as expected; else each has its own."""
    monkeypatch.setattr(suite_listing, "MANY", 2)
    Path("mine.toml").write_text(UP + UP + "bounds = { limit = 3 }", "utf-8")
    *words, total = check("mine.toml").stdout.splitlines()
    line = " ".join(" ".join(words).split())
    assert re.fullmatch(r"ok counter, 2 entries 2 hold 10 states \S+ s", line)
    assert total.startswith("2 passed")
    lines = check("mine.toml", "--invariant", "is_below_two").stdout.splitlines()
    assert [line[:4] for line in lines if "counter up limit" in line] == [
        "FAIL",
        "FAIL",
    ]


def test_verbose_says_of_each_result_what_it_covers() -> None:
    """Of several results, those that are as expected only name what is violated."""
    asked = UP + 'invariants = ["is_below_two"]\n'
    wanted = 'expect = { verdict = "violated", violations = { is_below_two = 2 } }\n'
    entries = asked + wanted + asked + "bounds = { limit = 3 }"
    Path("mine.toml").write_text(entries, "utf-8")
    done = check("mine.toml", "-v")
    expected, _, other = done.stdout.partition("counter, up, limit=3\n")
    assert "  violated after 2 states: is_below_two\n" in expected
    assert "VIOLATED is_below_two" not in expected
    assert "VIOLATED is_below_two" in other
    (show,) = re.findall("replicheck trace show (.*)\n", expected)
    assert Path(show).exists()


def test_quiet_prints_what_fails_and_the_total() -> None:
    """Nothing else, so a run in which all is well prints one line."""
    Path("mine.toml").write_text(UP + UP + "bounds = { limit = 3 }", "utf-8")
    assert check("mine.toml", "-q").stdout.strip().startswith("2 passed; exit code 0")
    failing = check("mine.toml", "-q", "--invariant", "is_below_two").stdout
    assert len(failing.splitlines()) == 5
    assert "VIOLATED" not in failing


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
    """In full the text has every step with what it changed; the code is 12."""
    arguments = ("counter", "--invariant", "is_below_two", "--bounds", "limit=3")
    done = check(*arguments, "--full")
    assert done.exit_code == 12
    assert "VIOLATED is_below_two: the shortest run has 2 states" in done.stdout
    assert "The number is 0 or 1." in done.stdout
    assert "add(amount=2)" in done.stdout
    assert "value  0 -> 2" in done.stdout
    assert "at state 2: is_below_two" in done.stdout


def test_a_violation_is_saved() -> None:
    """The file that the text names holds the same run."""
    result = report_of("counter", "--invariant", "is_below_two")
    (violation,) = result["violations"]
    saved = read_trace(toys.catalogue(), Path(violation["file"]))
    assert saved.header.property == "is_below_two"
    assert saved.header.bounds == {"limit": 5}
    assert [state.value for state in saved.trace.states] == [0, 2]
    assert len(violation["trace"]) == violation["states"] == 2


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (
            ("--protocol", "round", "--invariant", "never_goes_down"),
            13,
            "by the step to state 5: never_goes_down",
        ),
        (
            ("--invariant", "no_deadlock"),
            11,
            "at state 4, where no action is enabled",
        ),
    ],
    ids=["a step property", "a deadlock"],
)
def test_each_kind_of_violation_has_a_code(
    options: tuple[str, ...], code: int, text: str
) -> None:
    """The code says of which kind it is, and the text where it is."""
    done = check("counter", *options)
    assert done.exit_code == code
    assert text in done.stdout


def test_an_action_that_raises() -> None:
    """The action, the exception and the way to the state are shown; the code is 75."""
    done = check("counter", "--protocol", "raising")
    assert done.exit_code == 75
    assert "ERROR break_down raised ZeroDivisionError: two is too much" in done.stdout
    assert "Called     on state 3" in done.stdout
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
    """With the option, a cut search is no failure, and the text says what it is."""
    cut = "counter", "--limit-depth", "2"
    assert "  exit 77: the search is incomplete (depth)" in check(*cut).stdout
    done = check(*cut, "--accept-incomplete")
    assert done.exit_code == 0
    assert "  accepted: the search is incomplete (depth)" in done.stdout
    assert "exit 77" not in done.stdout


def test_a_declared_cut() -> None:
    """A suite can expect a search to be cut."""
    lines = 'expect = { verdict = "incomplete" }', "limits = { depth = 2 }"
    assert check_suite(*lines).exit_code == 0


@pytest.mark.parametrize(
    ("invariant", "length", "code", "text"),
    [
        ("is_below_two", 2, 0, "VIOLATED is_below_two"),
        ("is_below_two", 3, 10, "is violated after 2 states, expected 3"),
        ("is_within_its_limit", 3, 10, "is not violated, expected a run of 3"),
    ],
    ids=["as expected", "of another length", "none"],
)
def test_an_expected_violation(
    invariant: str, length: int, code: int, text: str
) -> None:
    """It is a success at the expected length; another length, or none, is not."""
    violations = f"{{ {invariant} = {length} }}"
    done = check_suite(
        f'invariants = ["{invariant}"]',
        f'expect = {{ verdict = "violated", violations = {violations} }}',
    )
    assert done.exit_code == code
    assert text in done.stdout


def test_an_expected_violation_of_any_length() -> None:
    """Without names, any violation is the expected one."""
    lines = 'invariants = ["is_below_two"]', 'expect = { verdict = "violated" }'
    assert check_suite(*lines).exit_code == 0


def test_a_trace_that_cannot_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the file, not the result."""
    fill_disk(monkeypatch, "replicheck.cli.runs.trace_files.write_atomically")
    done = check("counter", "--invariant", "is_below_two")
    assert done.exit_code == 12
    assert f"not every trace could be saved: {NO_SPACE}" in done.stdout


def test_a_run_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the checkpoints, not the search, and no file is left."""
    fill_disk(monkeypatch, "os.fsync")
    done = check("counter", "--checkpoint-every", "0")
    assert done.exit_code == 0
    assert "no checkpoint could be written, so the search went on in" in done.stdout
    assert done.stdout.count(NO_SPACE) == 1
    assert not Path(".replicheck").exists()


def test_another_violation_than_the_expected_one() -> None:
    """A violation that is not expected is more severe than an unmet expectation."""
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
