"""Names and bounds that cannot be: one code and one message for all commands."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest
from click.testing import CliRunner, Result

from command_line.messages import require_message
from replicheck.cli.main import main
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.resolution import bounds_of
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND
from shipped import CATALOGUE

BY_NAME = (
    ["check"],
    ["show"],
    ["simulate"],
    ["fuzz"],
    ["explore"],
    ["export", "--format", "promela"],
    ["mutants"],
    ["trace", "gallery"],
)
WITHIN_BOUNDS = (*BY_NAME[:1], ["show", "--dependencies"], *BY_NAME[2:6])


def refusal(*words: str) -> str:
    """The one line with which a command is refused; the code is 151."""
    done: Result = CliRunner().invoke(main, words, obj=CATALOGUE)
    assert done.exit_code == 151, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def ids(words: list[str]) -> str:
    """Name of a command as it is called."""
    return " ".join(words)


@pytest.mark.parametrize("command", BY_NAME, ids=ids)
def test_a_name_that_does_not_exist(command: list[str]) -> None:
    """The message has the name and some of those that exist."""
    line = refusal(*command, "xyzzy")
    assert "xyzzy" in line and "the nearest of " in line


@pytest.mark.parametrize("command", [["check"], ["simulate"], ["explore"]], ids=ids)
def test_a_model_in_place_of_a_scenario(command: list[str]) -> None:
    """The message does not suggest a scenario of another model."""
    line = refusal(*command, "cluster")
    assert line.endswith(
        "cluster: this is a model: name one of its scenarios, which `replicheck show"
        " cluster` lists"
    )


def test_a_beginning_of_a_model_whose_beginnings_have_no_names() -> None:
    """The message does not say that one of them is called none."""
    line = refusal("check", "replication", "--initial", "none")
    assert "replication has no initial states with names" in line
    assert "known" not in line


@pytest.mark.parametrize("command", BY_NAME[6:], ids=ids)
def test_a_name_that_nearly_exists(command: list[str]) -> None:
    """The message has the one that is meant."""
    line = refusal(*command, "m-18-notify-befor-marking")
    assert line.endswith('did you mean "m-18-notify-before-marking"?')


@pytest.mark.parametrize("command", WITHIN_BOUNDS, ids=ids)
@pytest.mark.parametrize(
    ("scenario", "bound"),
    [("composed-disk-fails-during-move", "moves"), ("leader-disk-fails", "crashes")],
)
def test_a_bound_beyond_all_searches(
    command: list[str], scenario: str, bound: str
) -> None:
    """The message has the greatest value that a bound can have."""
    line = refusal(*command, scenario, "--bounds", f"{bound}=9999")
    assert f"{bound}: is 9999, expected a value <= 255" in line


def every_bound() -> Iterator[tuple[str, str]]:
    """Yield each bound of each shipped model, with the name of the model."""
    for name, system in CATALOGUE.systems.items():
        for bound in attrs.fields(system.bounds):
            yield name, bound.name


@pytest.mark.parametrize(("model", "bound"), [*every_bound()])
def test_every_bound_has_a_greatest_value(model: str, bound: str) -> None:
    """It is the same for all, unless the model itself has a smaller one."""
    system = CATALOGUE.systems[model]
    with pytest.raises(ScenarioError, match=r"expected a value <= 255|expected one of"):
        bounds_of(system, {bound: MOST_OF_A_BOUND + 1}, Place("--bounds"))


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        (("check", "xyzzy"), "; `replicheck list` has all"),
        (("mutants", "xyzzy"), "; `replicheck list --kind mutations` has all"),
        (("show", "xyzzy"), ""),
        (("trace", "gallery", "xyzzy"), ""),
    ],
    ids=["check", "mutants", "show", "gallery"],
)
def test_what_lists_all_names_is_told_if_there_is_such_a_command(
    words: tuple[str, ...], ending: str
) -> None:
    """The lists have no actions, and no runs of the gallery."""
    line = refusal(*words)
    assert line.endswith(ending)
    assert ("replicheck list" in line) is bool(ending)


@pytest.mark.parametrize(
    "words",
    [
        ("find", "default", "--reach", "record_is_committed"),
        ("simulate", "default", "--invariant", "logs_are_within_bounds"),
    ],
    ids=lambda words: words[0],
)
def test_a_suite_where_one_scenario_is_wanted(words: tuple[str, ...]) -> None:
    """It is said first, whatever does not fit its scenarios."""
    done = CliRunner().invoke(main, words, obj=CATALOGUE)
    assert done.exit_code == 2
    assert done.stderr.endswith("default has several scenarios; name one\n")


def test_faults_of_a_model_without_budgets() -> None:
    """There is no bound to raise."""
    line = refusal("ways", "replication", "logs_are_within_bounds")
    assert "the model has no budget" in line
    line = refusal("ways", "topic-is-created", "no_deadlock")
    assert "raise one of directory_failures, " in line


@pytest.mark.parametrize("command", [["check", "alter-isr"], ["resume"]], ids=ids)
@pytest.mark.parametrize("master", ["foo", "", "local[]", "local[x]", "spark://"])
def test_a_master_that_spark_does_not_take(command: list[str], master: str) -> None:
    """It is refused at once, also where so few states need no Spark."""
    done = CliRunner().invoke(main, [*command, "--master", master], obj=CATALOGUE)
    require_message(done, 2, f"{master!r} is no master of Spark, such as local[4]")


@pytest.mark.parametrize(
    "master",
    [
        *("local", "local[4]", "local[*]", "local[2,4]", "local-cluster[2, 1, 1024]"),
        *("yarn", "spark://host:7077", "k8s://https://host:443"),
    ],
)
def test_a_master_that_spark_takes(master: str) -> None:
    """The engine is another thing: it must be that of Spark."""
    words = ["check", "alter-isr", "--master", master]
    done = CliRunner().invoke(main, words, obj=CATALOGUE)
    require_message(done, 2, "--master is not heeded by the engine breadth-first")
