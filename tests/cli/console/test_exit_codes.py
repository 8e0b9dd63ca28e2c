"""Exit codes and their order."""

from __future__ import annotations

import sys
from itertools import permutations

import pytest
from click.testing import CliRunner

from command_line.messages import require_message
from replicheck.cli.console.exit_codes import BY_SEVERITY, ExitCode, most_severe
from replicheck.cli.main import main
from shipped import CATALOGUE


def test_the_numbers() -> None:
    """The numbers are a promise to scripts."""
    assert {code.name: code.value for code in ExitCode} == {
        "AS_EXPECTED": 0,
        "USAGE": 2,
        "EXPECTATION": 10,
        "DEADLOCK": 11,
        "INVARIANT": 12,
        "STEP_PROPERTY": 13,
        "NOT_CONFORMING": 14,
        "LIVENESS": 15,
        "UNAVAILABLE": 69,
        "MODEL_ERROR": 75,
        "INCOMPLETE": 77,
        "BAD_INPUT": 151,
    }


def test_every_code_has_a_severity() -> None:
    """No code is forgotten in the order."""
    assert sorted(BY_SEVERITY) == sorted(ExitCode)


def test_the_most_severe_and_not_the_last() -> None:
    """The order in which codes come does not matter."""
    codes = (ExitCode.INCOMPLETE, ExitCode.INVARIANT, ExitCode.EXPECTATION)
    assert {most_severe(order) for order in permutations(codes)} == {ExitCode.INVARIANT}


def test_nothing_is_as_expected() -> None:
    """Without any finding, all is as expected."""
    assert most_severe([]) is ExitCode.AS_EXPECTED


def test_a_library_that_is_not_installed_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where there is no Java: the machine lacks what was asked for."""
    monkeypatch.setitem(sys.modules, "pyspark", None)
    prefix = "replicheck.explorer.engines.partitioned.spark"
    for name in [name for name in sys.modules if name.startswith(prefix)]:
        monkeypatch.delitem(sys.modules, name)
    words = ["check", "alter-isr", "--engine", "spark", "--no-cache"]
    done = CliRunner().invoke(main, words, obj=CATALOGUE)
    require_message(done, 69, "the engine spark needs pyspark, which is not installed")
