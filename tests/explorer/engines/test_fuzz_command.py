"""``replicheck fuzz``: what it finds, messages and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from replicheck.cli.runs.fuzz_campaigns import Profile, profile_of
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from shipped import CATALOGUE

pytestmark = pytest.mark.slow


def run(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["fuzz", *arguments])


@pytest.mark.parametrize(
    ("mutant", "length"),
    [
        ("truncate-to-high-watermark", 9),
        ("l-fu-1-learn-from-failed-reads", 7),
        ("m-12-fence-no-controller", 11),
    ],
)
def test_the_command_finds_a_mutant_of_each_system(
    tmp_path: Path, mutant: str, length: int
) -> None:
    """What it finds is short, and a trace that replays."""
    done = run(mutant, "--traces", str(tmp_path), "--json", "-", "--examples", "4000")
    assert done.exit_code in (12, 13), done.output
    report = json.loads(done.stdout)
    assert report["verdict"] == "violated"
    assert report["violation"]["states"] <= 1.5 * length
    path = report["violation"]["trace"]
    for command in ("replay", "show"):
        again = CliRunner().invoke(main, ["trace", command, path])
        assert again.exit_code == (done.exit_code if command == "replay" else 0)


def test_a_limit_is_added_to_those_of_a_profile() -> None:
    """A limit of the user's takes the place of the same one alone."""
    assert profile_of("ci", None, 9.0) == Profile(examples=2_000, seconds=9.0)
    assert profile_of("ci", 5, None) == Profile(examples=5, seconds=None)
    assert profile_of(None, 5, None) == Profile(examples=5, seconds=None)
    assert profile_of(None, None, None) == Profile(examples=None, seconds=60.0)


def test_what_failed_is_tried_first(tmp_path: Path) -> None:
    """With a database the second run begins with what the first one found."""
    arguments = ["replication", "--protocol", "kip-101"]
    arguments += ["--bounds", "brokers=2,log_size=2,records=2,max_leader_epoch=2"]
    arguments += ["--traces", str(tmp_path / "traces"), "--json", "-"]
    arguments += ["--database", str(tmp_path / "database"), "--examples", "4000"]
    first, second = (json.loads(run(*arguments).stdout) for _ in range(2))
    assert first["violation"]["property"] == second["violation"]["property"]
    examples = [document["simulations"][0]["examples"] for document in (first, second)]
    assert examples[1] == 1 < examples[0]


def test_bounds_are_drawn_within_the_ranges(tmp_path: Path) -> None:
    """A saved trace says within which bounds it was found; a fixed one stays."""
    done = run(
        "replication", "--protocol", "truncate-to-high-watermark", "--json", "-",
        "--bounds", "brokers=2", "--examples", "4000", "--traces", str(tmp_path),
    )  # fmt: skip
    header = read_trace(
        CATALOGUE, Path(json.loads(done.stdout)["violation"]["trace"])
    ).header
    ranges = CATALOGUE.scenarios["replication"].ranges
    assert header.bounds["brokers"] == 2
    for name in ("log_size", "records", "max_leader_epoch"):
        assert ranges[name][0] <= header.bounds[name] <= ranges[name][1]


def test_the_command_does_not_say_that_it_holds() -> None:
    """Without a violation it is not refuted, and too little coverage can fail."""
    arguments = ["replication", "--examples", "40", "--bounds"]
    arguments += ["brokers=2,log_size=2,records=2,max_leader_epoch=2"]
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert "not refuted" in done.stdout and "Good-Turing" in done.stdout
    assert run(*arguments, "--require-covered", "0.9999").exit_code == 10


SCENARIO = """
summary = "x"
model = "replication"
protocol = "kip-320"
[ranges]
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("brokrs = [1, 2]", 'ranges.brokrs: there is no such bound; did you mean "b'),
        ("brokers = [3, 2]", "ranges.brokers: is [3, 2], expected [least, greatest]"),
        ("brokers = 3", "ranges.brokers: is 3, expected [least, greatest]"),
        ("brokers = [0, 2]", "ranges.brokers: is 0, expected a value >= 1"),
        ("brokers = [1, true]", "expected [least, greatest]"),
        ("brokers = [2, 90]", "expected at most 5,000; BrokerId alone has 90 values"),
        ("brokers = [2, 256]", "ranges.brokers: is 256, expected a value <= 255"),
    ],
)
def test_wrong_ranges_are_said_in_one_message(line: str, message: str) -> None:
    """The message has the key, what is there, and what was expected."""
    place = Place("mine.toml")
    with pytest.raises(ScenarioError) as raised:
        CATALOGUE.read_scenario(SCENARIO + line, "mine", place)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["replicaton"], 151, "did you mean"),
        (["xyzzy"], 151, "; the nearest of "),
        (["replication", "--protocol", "kip-32"], 151, "did you mean"),
        (["replication", "--bounds", "brokers=0"], 151, "expected a value >= 1"),
        (["replication", "--bounds", "records=256"], 151, "a value <= 255"),
        (["kraft-disk-fails", "--bounds", "first_leader=2"], 151, "a value <= 1, the"),
        (["kraft-disk-fails", "--bounds", "unassigned=2"], 151, "expected one of 0, 1"),
        *(
            ([scenario, "--bounds", bound], 151, "expected at most 5,000; ")
            for scenario, bound in (
                ("replication", "brokers=255"),
                ("topic-is-created", "brokers=9,partitions=9,directories=255"),
                ("topic-is-created", "brokers=99,partitions=99,directories=99"),
                (
                    "fetching-two-brokers-change-roles",
                    "brokers=9,partitions=9,fetchers=9",
                ),
                ("composed-failed-partitions-disk-fails", "partitions=255"),
            )
        ),
        (["replication", "--profile", "daily"], 2, "--profile"),
        (["replication", "--examples", "0"], 2, "--examples"),
    ],
)
def test_wrong_flags_are_said_in_one_message(
    arguments: list[str], code: int, message: str
) -> None:
    """Nothing is walked."""
    done = run(*arguments)
    assert done.exit_code == code
    assert message in done.output and "Traceback" not in done.output
    assert len(done.output) < 400
