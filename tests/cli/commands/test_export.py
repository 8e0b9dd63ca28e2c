"""``replicheck export``: what is written, messages and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toys
from command_line.full_disk import NO_SPACE, fill_disk
from command_line.messages import require_message
from replicheck.cli.main import main

pytestmark = pytest.mark.usefixtures("elsewhere")


def export(*arguments: str) -> Result:
    """Run `replicheck export` with the counters as the only scenario."""
    return CliRunner().invoke(
        main, ["export", "--format", "promela", *arguments], obj=toys.catalogue()
    )


def test_standard_output_has_the_model_alone() -> None:
    """The header says what is exported; what goes on is told on standard error."""
    done = export("counter", "--protocol", "round", "--bounds", "limit=3")
    assert done.exit_code == 0
    assert done.stdout.startswith("/*\n * A model for Spin")
    assert " * protocol: round\n * bounds: limit=3\n" in done.stdout
    assert " * always: is_within_its_limit (holds, says replicheck)\n" in done.stdout
    assert "replicheck: 4 distinct states" in done.stdout
    assert "[1/1] counter, round, limit=3" in done.stderr


def test_a_file() -> None:
    """The commands in the header name the file."""
    done = export("counter", "--output", "here.pml")
    assert (done.exit_code, done.stdout) == (0, "")
    assert " spin -a here.pml\n" in Path("here.pml").read_text("utf-8")


def test_a_violated_property() -> None:
    """Of a violated property the header says so; all states are there nevertheless."""
    done = export("counter", "--invariant", "is_below_two")
    assert done.exit_code == 0
    assert " * always: is_below_two (is violated, says replicheck)" in done.stdout
    assert "is_within_its_limit" not in done.stdout
    assert "replicheck: 6 distinct states" in done.stdout


def test_a_witness_is_not_exported() -> None:
    """Spin has no assertion for what should be seen once."""
    assert "reaches_its_limit" not in export("counter").stdout
    done = export("counter", "--witness", "reaches_its_limit")
    require_message(done, 2, "No such option '--witness'")
    done = export("counter", "--invariant", "reaches_its_limit")
    require_message(done, 151, "reaches_its_limit is a witness, which is not exported")


def test_too_many_states() -> None:
    """A part of the states would be another system, so nothing is written."""
    done = export("counter", "--limit-states", "3", "--output", "here.pml")
    assert done.exit_code == 77
    assert "larger than 3 states, nothing exported" in done.stderr
    assert not Path("here.pml").exists()


def test_an_action_that_raises() -> None:
    """The action is named, and nothing is written."""
    done = export("counter", "--protocol", "raising")
    assert (done.exit_code, done.stdout) == (75, "")
    assert "`break_down` raises" in done.stderr
    assert "nothing exported" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--format", "tla", "'tla' is not one of 'promela', 'promela-liveness'"),
        ("--output", "nowhere/here.pml", "--output: there is no directory nowhere"),
    ],
)
def test_a_wrong_option(option: str, value: str, message: str) -> None:
    """It is refused before the search; an unknown format has the list of formats."""
    done = export("counter", option, value)
    require_message(done, 2, message)
    assert "[1/1]" not in done.stderr


def test_a_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written after all is an error of one line."""
    fill_disk(monkeypatch, "replicheck.cli.console.output.write_atomically")
    done = export("counter", "--output", "here.pml")
    require_message(done, 2, f"here.pml cannot be written: {NO_SPACE}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("countre",), 'did you mean "counter"?'),
        (("counter", "--protocol", "upp"), 'did you mean "up"?'),
        (("counter", "--bounds", "limit=0"), "limit"),
        (("counter", "--invariant", "is_below"), 'did you mean "is_below_two"?'),
        (("two.toml",), "suite of 2 searches"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_scenario_that_cannot_be(arguments: tuple[str, ...], message: str) -> None:
    """The message has the nearest name, or says what to name."""
    check = '[[check]]\nscenario = "counter"\nbounds = {{ limit = {} }}\n'
    Path("two.toml").write_text(check.format(3) + check.format(4), "utf-8")
    require_message(export(*arguments), 151, message)


def test_an_interrupted_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C nothing is written."""

    def interrupt(self: object, progress: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("replicheck.cli.commands.export.Interrupts.watch", interrupt)
    done = export("counter")
    assert (done.exit_code, done.stdout) == (77, "")
    assert "interrupted, nothing exported" in done.stderr
