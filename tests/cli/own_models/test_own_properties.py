"""Properties of a user's own, of a model that comes with replicheck."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line.messages import require_message
from command_line.own_models import run
from replicheck.cli.testing import DoesNotHold, assert_holds

SMALL = ("--bounds", "brokers=2,log_size=1,records=1,max_leader_epoch=1")
MINE = '''
from replicheck.model.replication.state import AbstractCluster

def no_broker_leads(cluster: AbstractCluster) -> bool:
    """No broker ever leads."""
    return all(replica.leader is None for replica in cluster.replicas)

def a_broker_leads(cluster: AbstractCluster) -> bool:
    """Somebody leads."""
    return not no_broker_leads(cluster)

def epochs_never_fall(before: AbstractCluster, after: AbstractCluster) -> bool:
    """The next epoch only grows."""
    return after.next_leader_epoch >= before.next_leader_epoch
'''

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def mine(folder: Path) -> None:
    """Write a file with properties."""
    folder.joinpath("my.py").write_text(MINE, "utf-8")


def test_an_invariant() -> None:
    """It is named by its file, and the command that repeats it does so, too."""
    done = run("check", "replication", "--invariant", "my.py:no_broker_leads", *SMALL)
    assert done.exit_code == 12
    assert "--invariant my.py:no_broker_leads" in done.stdout


def test_a_step_property_and_a_witness() -> None:
    """An option for each kind says which it is, and is repeated."""
    words = ("--step", "my.py:epochs_never_fall", "--witness", "my.py:a_broker_leads")
    done = run("check", "replication", *words, *SMALL)
    assert done.exit_code == 0, done.output
    assert " ".join(words) in done.stdout
    unreached = run(
        "check", "replication", "--witness", "my.py:no_broker_leads", *SMALL
    )
    assert unreached.exit_code == 0, "the initial state is a witness"


def test_an_option_takes_its_kind_only() -> None:
    """A shipped invariant is no step property."""
    name = "stored_leader_is_in_isr"
    done = run("check", "replication", "--step", name)
    assert done.exit_code == 151
    assert f"--step: {name} is an invariant, expected a step property" in done.stderr


@pytest.mark.parametrize(
    ("parameter", "problem"),
    [
        (
            "broker: int",
            "odd has the parameter broker: int, for which the model has no",
        ),
        ("broker", "Annotate it with one of: BrokerId, Epoch, RecordId"),
        (
            "broker: Nope",
            "odd.py:odd: its annotations cannot be read: name 'Nope' is not",
        ),
    ],
)
def test_a_parameter_of_no_known_values(
    folder: Path, parameter: str, problem: str
) -> None:
    """It is told before the search begins."""
    text = f"from __future__ import annotations\ndef odd(s, {parameter}): return True\n"
    folder.joinpath("odd.py").write_text(text, "utf-8")
    done = run("check", "replication", "--invariant", "odd.py:odd", *SMALL)
    require_message(done, 151, problem)


@pytest.mark.parametrize(
    ("kind", "head", "problem"),
    [
        ("--step", "(s)", "a step property, which is called with the states before"),
        ("--invariant", "()", "an invariant, which is called with a state"),
        ("--witness", "(*, s)", "a witness, which is called with a state"),
    ],
)
def test_a_function_that_takes_too_few_states(
    folder: Path, kind: str, head: str, problem: str
) -> None:
    """It is told with its place before the search begins."""
    folder.joinpath("odd.py").write_text(f"\ndef odd{head}: return True\n", "utf-8")
    done = run("check", "replication", kind, "odd.py:odd", *SMALL)
    told = "odd.py:odd: the function in line 2 takes fewer arguments than"
    require_message(done, 151, f"{told} {problem}")


@pytest.mark.parametrize("command", ["simulate", "fuzz"])
def test_walks_judge_it(command: str) -> None:
    """As a search does."""
    many = ("--walks", "20") if command == "simulate" else ("--examples", "20")
    done = run(command, "replication", "--invariant", "my.py:no_broker_leads", *many)
    assert done.exit_code == 12, done.output


def test_its_run_is_replayed_and_explained() -> None:
    """Once the user names the file with its code."""
    option = ("--invariant", "my.py:no_broker_leads")
    done = run("check", "replication", *option, *SMALL, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    unnamed = run("trace", "replay", file)
    assert unnamed.exit_code == 10
    assert "--invariant FILE.py:no_broker_leads" in unnamed.stdout
    assert "still violates" in run("trace", "replay", file, *option).stdout
    assert run("trace", "explain", file, *option).exit_code == 0


def test_a_run_with_it_is_resumed_once_its_code_is_named() -> None:
    """As with a model of a user's own, no path in a run folder is code to run."""
    option = ("--invariant", "my.py:no_broker_leads")
    stop = ("--limit-seconds", "1e-9", "--checkpoint", "kept")
    cut = run("check", "replication", *option, *SMALL, *stop)
    assert cut.exit_code == 77, cut.output
    assert "resume kept --invariant my.py:no_broker_leads\n" in cut.stdout
    refused = run("resume", "kept", "--limit-seconds", "100")
    assert refused.exit_code == 151
    assert "my.py:no_broker_leads" in refused.stderr
    done = run("resume", "kept", "--limit-seconds", "100", *option)
    assert done.exit_code == 12, done.output
    assert "no_broker_leads is violated after 3 states" in done.stdout


def test_a_suite_names_properties_beside_it() -> None:
    """An entry and a scenario have references in their three lists."""
    Path("sub").mkdir()
    Path("my.py").rename("sub/my.py")
    Path("sub/mine.toml").write_text(
        """
[scenarios.tiny]
summary = "Two brokers"
model = "replication"
protocol = "kip-320"
bounds = { brokers = 2, log_size = 1, records = 1, max_leader_epoch = 1 }
steps = ["my.py:epochs_never_fall"]
witnesses = []

[[check]]
scenario = "tiny"
expect = { verdict = "holds" }

[[check]]
scenario = "tiny"
invariants = ["my.py:no_broker_leads"]
witnesses = ["my.py:a_broker_leads"]
expect = { verdict = "violated", violations = { no_broker_leads = 3 } }
""",
        "utf-8",
    )
    done = run("check", "sub/mine.toml")
    assert done.exit_code == 0, done.output


def test_a_test_in_python_saves_the_run(folder: Path) -> None:
    """The failure says where."""

    def no_broker_ever_leads(cluster) -> bool:  # type: ignore[no-untyped-def]
        return all(replica.leader is None for replica in cluster.replicas)

    with pytest.raises(DoesNotHold, match="Saved: counterexamples/replication"):
        assert_holds("replication", no_broker_ever_leads)
    assert len(list(Path("counterexamples").iterdir())) == 1


def test_a_name_that_is_taken_and_one_that_is_none() -> None:
    """Both are told with the reference."""
    Path("my.py").write_text("def record_is_committed(s): return True\nx = 1\n")
    taken = run("check", "replication", "--invariant", "my.py:record_is_committed")
    assert taken.exit_code == 151
    assert "has a property record_is_committed already" in taken.stderr
    for name, told in (("x", 'no function "x"'), ("", "name the property behind")):
        done = run("check", "replication", "--step", f"my.py:{name}".rstrip(":"))
        assert done.exit_code == 151
        assert told in done.stderr


def test_a_regression_test_names_the_file_of_the_property() -> None:
    """Which it runs, and the run still violates it."""
    check = ("check", "replication", "--invariant", "my.py:no_broker_leads", *SMALL)
    (result,) = json.loads(run(*check, "--json", "-").stdout)["results"]
    file = result["violations"][0]["file"]
    words = ("trace", "show", file, "--invariant", "my.py:no_broker_leads")
    values: dict[str, Any] = {}
    exec(run(*words, "--format", "pytest").stdout, values)  # Our own text.
    assert values["CLAIMS"] == ["my.py:no_broker_leads"]
    values["test_replication_kip_320_no_broker_leads"]()
