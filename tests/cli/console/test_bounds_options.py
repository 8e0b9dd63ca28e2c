"""The option ``--bounds``, given several times."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from shipped import CATALOGUE

pytestmark = pytest.mark.usefixtures("elsewhere")
TWO = ("--bounds", "brokers=2", "--bounds", "max_leader_epoch=2,log_size=1")
SMALL = ("--engine", "naive", "--limit-depth", "2", "--json", "-")
TWICE = ("--bounds", "brokers=2", "--bounds", "log_size=2,brokers=2")


def run(*arguments: str) -> Result:
    """Run a command with the shipped scenarios."""
    return CliRunner().invoke(main, arguments, obj=CATALOGUE)


def test_each_option_adds_bounds() -> None:
    """So none of them is left aside."""
    done = run("check", "replication", *TWO, *SMALL)
    (result,) = json.loads(done.stdout)["results"]
    given = {"brokers": 2, "max_leader_epoch": 2, "log_size": 1}
    assert {**result["bounds"], **given} == result["bounds"]


@pytest.mark.parametrize(
    "command",
    [
        ("check", "replication"),
        ("show", "replication", "--dependencies"),
        ("simulate", "replication"),
        ("find", "replication", "--reach", "x"),
        ("conform",),
    ],
    ids=lambda words: str(words[0]),
)
def test_a_bound_that_is_given_twice(command: tuple[str, ...]) -> None:
    """It is refused in every command, as in one option."""
    done = run(*command, *TWICE)
    assert done.exit_code == 2
    assert "Invalid value for '--bounds': brokers is given twice" in done.stderr
