"""``replicheck diff``: where two protocols part, and which properties differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toys
from command_line.messages import require_message
from replicheck.cli.main import main

pytestmark = pytest.mark.usefixtures("elsewhere")


def diff(*arguments: str) -> Result:
    """Run `replicheck diff` with the counters as the only scenario."""
    return CliRunner().invoke(main, ["diff", *arguments], obj=toys.catalogue())


def test_a_step_that_only_one_protocol_has() -> None:
    """The run to it is printed and saved, with the steps of each protocol."""
    done = diff("counter", "up", "round")
    assert done.exit_code == 0, done.output
    assert "They part at state 4; a shortest run there:" in done.stdout
    assert "Only under up: no step" in done.stdout
    assert "Only under round: start_again" in done.stdout
    (saved,) = Path("counterexamples").iterdir()
    assert f"Saved: {saved}" in done.stdout


def test_a_step_that_leads_elsewhere() -> None:
    """Of a step that both protocols have, it says what they change otherwise."""
    scenario = "fetching-two-brokers-change-roles"
    done = CliRunner().invoke(main, ["diff", scenario, "kafka-2.2", "kafka-2.5.1"])
    assert done.exit_code == 0, done.output
    step = "process_fetch_request(follower=1, leader=0, fetcher=0)"
    assert done.stdout.count(step) == 1
    *_, first, second, third, fourth, fifth, _saved = done.stdout.splitlines()
    assert (first, second) == (
        "Only under kafka-2.2: no step",
        "Only under kafka-2.5.1: no step",
    )
    assert third == f"With other changes under each: {step}"
    assert fourth == "      under kafka-2.2: failed[1] stays {}"
    assert fifth == "      under kafka-2.5.1: failed[1] {} -> {0}"


def test_protocols_that_are_the_same() -> None:
    """Nothing differs, in all states."""
    done = diff("counter", "up", "up")
    assert done.exit_code == 0, done.output
    assert "Properties that differ: 0 of " in done.stdout
    assert "The same steps in all 6 states" in done.stdout


def test_a_property_that_differs() -> None:
    """It is named with what became of it under each protocol."""
    done = CliRunner().invoke(
        main, ["diff", "replication", "kip-101", "kip-320", "--bounds", "brokers=2"]
    )
    assert done.exit_code == 0, done.output
    assert "Properties that differ: 0 of 14" not in done.stdout
    assert "violated under kip-101, holds under kip-320" in done.stdout


def test_a_property_that_a_limit_left_undecided() -> None:
    """It counts neither as equal nor as different."""
    done = diff("counter", "up", "up", "--limit-states", "1")
    assert "Properties that differ: 0 of 0" in done.stdout
    assert "Properties of which it is not known: " in done.stdout


def test_a_comparison_that_is_cut() -> None:
    """It says that the answer is not known, and the code is 77."""
    done = diff("counter", "up", "up", "--limit-states", "1")
    assert done.exit_code == 77
    assert "not known" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("counter", "up"), 2, "Missing argument 'PROTOCOL'"),
        (("counter", "up", "down"), 151, 'PROTOCOL: there is no protocol "down"'),
        (
            ("counter", "up", "round", "--protocol", "up"),
            2,
            "No such option '--protocol'",
        ),
        (("counter", "up", "raising"), 75, "ZeroDivisionError"),
    ],
)
def test_wrong_input(arguments: tuple[str, ...], code: int, message: str) -> None:
    """One message names what is wrong."""
    require_message(diff(*arguments), code, message)
