"""What is made when it is first asked for, and what every start must not wait for."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue import catalogue as reading
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.lazy_mapping import Deferred, InOrder, Lazily
from replicheck.invariants.catalogue.resolution import scenario_of_check
from replicheck.invariants.catalogue.scenario import Scenario


def test_a_value_is_made_once_and_only_when_asked_for() -> None:
    """The names cost nothing."""
    made: list[str] = []

    def make() -> str:
        made.append("a")
        return "A"

    values = Lazily({"a": make})
    assert "a" in values
    assert [*values] == ["a"]
    assert not made
    assert (values["a"], values["a"]) == ("A", "A")
    assert made == ["a"]


def test_deferred_values_are_made_together() -> None:
    """The first question makes them all."""
    calls: list[int] = []

    def make() -> dict[str, int]:
        calls.append(1)
        return {"a": 1, "b": 2}

    values = Deferred(make)
    assert not calls
    assert dict(values) == {"a": 1, "b": 2}
    assert len(calls) == 1


def test_values_in_order_are_each_made_once_and_only_when_asked_for() -> None:
    """To count them makes none, and a slice makes its own."""
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    values = InOrder(partial(make, number) for number in range(4))
    assert len(values) == 4
    assert not made
    assert (values[2], values[2], values[1:3]) == (2, 2, (1, 2))
    assert made == [2, 1]


def test_one_entry_of_a_shipped_suite_is_read_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So to repeat it does not wait for the others."""
    read = list[str]()

    def hear(*arguments: Any) -> Scenario:
        read.append(str(arguments[-1]))
        return scenario_of_check(*arguments)

    monkeypatch.setattr(reading, "scenario_of_check", hear)
    choices = Overrides("breadth-first", entries=(7,))
    (task,) = tasks(Catalogue.shipped(), ["default"], choices)
    assert task.entry is not None
    assert task.entry.number == 7
    assert len(read) == 1


def test_everything_that_is_shipped_can_be_read() -> None:
    """Scenarios, suites and mutants, though no command reads them all."""
    catalogue = Catalogue.shipped()
    assert {scenario.name for scenario in catalogue.scenarios.values()} == {
        *catalogue.scenarios
    }
    assert all(suite.scenarios[:] for suite in catalogue.suites.values())
    assert all(mutant.scenario for mutant in catalogue.mutants.values())


def test_a_command_imports_no_other_and_no_other_system() -> None:
    """So a check of `replication` starts as fast with ten more systems."""
    check = (
        "import sys; from replicheck.cli.main import main\n"
        "try: main(['check', 'replication', '--engine', 'naive', '--bounds',"
        " 'brokers=1'])\n"
        "except SystemExit: pass\n"
        "loaded = [m for m in sys.modules if 'model.cluster' in m]\n"
        "loaded += [m for m in sys.modules if m.endswith('commands.explore')]\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
