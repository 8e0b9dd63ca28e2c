"""The examples: each is short, holds, and has a variant that does not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import spin
from checkout import ROOT
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue

ASYNC_ISR = ROOT / "examples" / "async_isr.py"
RAFT = ROOT / "bench" / "systems" / "raft.py"
FLOODING = ROOT / "bench" / "systems" / "flooding.py"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
STATES = {
    # As many as TLC finds in AsyncIsr.tla.
    "async_isr": "22,456",
    "election": "1,071",
    # 15 logs of at most 3 out of 2 records, for each of 3 replicas.
    "finite_replicated_log": "3,375",
    "lease": "612",
    # 9 for each of 2 requests.
    "lossy_link": "81",
    "paxos": "1,777",
    "quorum": "5,341",
    # 2 * 2 * 2 sets of readers, and 3 writers.
    "readers_writers": "11",
    "two_phase": "74",
}
VARIANTS = {
    "election": ("forgetful", "a_term_has_one_leader is violated after 8 states"),
    "lease": ("trusting", "one_client_may_write is violated after 7 states"),
    "paxos": ("forgetful", "one_value_is_chosen is violated after 13 states"),
    "quorum": ("eager", "a_leader_has_every_committed_record is violated after 9 st"),
    "readers_writers": ("hasty", "a_writer_is_alone is violated after 3 states"),
    "two_phase": ("impatient", "participants_agree is violated after 7 states"),
}
SYMMETRIC = {"quorum": "972", "readers_writers": "5", "two_phase": "27"}


@pytest.fixture(autouse=True)
def no_module_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Forget the examples after each test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for file in EXAMPLES:
        sys.modules.pop(file.stem, None)


def check(name: str, *options: str) -> Result:
    """Check an example."""
    file = str(ROOT / "examples" / f"{name}.py")
    return CliRunner().invoke(main, ["check", file, *options], obj=Catalogue.shipped())


def test_every_example_is_tested() -> None:
    """And has fewer than 120 lines."""
    assert {file.stem for file in EXAMPLES} == set(STATES)
    assert all(len(file.read_text("utf-8").splitlines()) < 120 for file in EXAMPLES)


@pytest.mark.parametrize("engine", ["breadth-first", "naive"])
@pytest.mark.parametrize("name", STATES)
def test_it_holds(name: str, engine: str) -> None:
    """The obvious engine and the fast one count the same states."""
    done = check(name, "--engine", engine)
    assert done.exit_code == 0, done.output
    assert f"holds: visited all {STATES[name]} states" in done.stdout


@pytest.mark.parametrize("name", VARIANTS)
def test_its_variant_is_violated(name: str) -> None:
    """By a shortest run of a known length."""
    variant, told = VARIANTS[name]
    done = check(name, "--protocol", variant)
    assert done.exit_code == 12
    assert told in done.stdout


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetry_counts_renamed_states_once(name: str) -> None:
    """Such as none, one, two or three readers, or a writer."""
    done = check(name, "--symmetry")
    assert done.exit_code == 0, done.output
    assert f"visited all {SYMMETRIC[name]} states up to symmetry" in done.stdout


def test_paxos_with_all_messages_in_a_set() -> None:
    """Loops over it, written after Lamport's text, lead to as many states."""
    file = str(ROOT / "bench" / "systems" / "paxos_messages.py")
    done = CliRunner().invoke(main, ["check", file], obj=Catalogue.shipped())
    assert f"holds: visited all {STATES['paxos']} states" in done.stdout


@pytest.mark.parametrize("engine", ["breadth-first", "naive"])
def test_raft_with_a_bag_of_messages(engine: str) -> None:
    """With one message in flight none is repeated, which `check` tells."""
    words = ["check", str(RAFT), "--bounds", "in_flight=1", "--engine", engine]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    assert "holds: visited all 4,890 states" in done.stdout
    assert "no state enables the action repeat" in done.stdout


@pytest.mark.parametrize(
    ("options", "states"),
    [
        ((), "6,561"),
        (("--reduce", "--reduce-beyond", "0"), "99"),
        (("--bounds", "nodes=5", "--reduce", "--reduce-beyond", "0"), "323"),
    ],
)
def test_any_message_of_a_flood_arrives(options: tuple[str, ...], states: str) -> None:
    """With `--reduce` in an order that is enough."""
    words = ["check", str(FLOODING), "--no-cache", *options]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    assert f"holds: visited all {states} states" in done.stdout


@pytest.mark.parametrize("engine", ["breadth-first", "naive"])
@pytest.mark.parametrize(
    ("name", "states"),
    # 16 majorities of five in each of three rounds; sets of eight messages.
    [
        ("quorums", f"{1 + 3 * 16}"),
        ("numbered_mail", f"{1 << 8}"),
        ("whole_system", "3,025"),
    ],
)
def test_systems_whose_states_are_counted(name: str, states: str, engine: str) -> None:
    """Two of them by hand."""
    file = ROOT / "bench" / "systems" / f"{name}.py"
    bounds = ["--bounds", "senders=4"] if name == "numbered_mail" else []
    words = ["check", str(file), "--engine", engine, "--no-cache", *bounds]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    assert f"holds: visited all {states} states" in done.stdout


@pytest.mark.slow
@spin.needs_spin
@pytest.mark.parametrize("name", STATES)
def test_spin_counts_the_same(name: str, tmp_path: Path) -> None:
    """Spin stores one state more, its own first one, and the page has the numbers."""
    file = str(ROOT / "examples" / f"{name}.py")
    words = ["export", "--format", "promela", file]
    text = CliRunner().invoke(main, words, obj=Catalogue.shipped()).stdout
    found = spin.run(tmp_path, text)
    states = int(STATES[name].replace(",", ""))
    assert (found.stored, found.error) == (states + 1, "")
    row = (
        f"| `{name}.py` | {states:,} | {found.transitions - 2:,}"
        f" | {found.stored:,} | {found.transitions:,} |"
    )
    assert row in (ROOT / "docs" / "promela.md").read_text("utf-8")


def edited(folder: Path, *edits: tuple[str, str], model: Path = ASYNC_ISR) -> str:
    """A copy of a model with some of its text replaced."""
    text = model.read_text("utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    copy = folder / "edited.py"
    copy.write_text(text, "utf-8")
    return str(copy)


def test_the_pieces_of_the_tutorial_are_the_model(tmp_path: Path) -> None:
    """One below the other they can be checked, renamed and broken as it says."""
    page = (ROOT / "docs" / "own-model.md").read_text("utf-8")
    pieces = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "readers_writers.py"
    file.write_text("\n\n".join(pieces), "utf-8")

    def told(*options: str) -> str:
        words = ["check", str(file), "--no-cache", *options]
        return CliRunner().invoke(main, words, obj=Catalogue.shipped()).output

    assert "visited all 11 states" in told()
    assert "visited all 7 states up to symmetry" in told(
        "--bounds", "processes=5", "--symmetry"
    )
    assert VARIANTS["readers_writers"][1] in told("--protocol", "hasty")


@pytest.fixture
def no_copy_is_left() -> Iterator[None]:
    """Forget the copy after a test."""
    yield
    sys.modules.pop("edited", None)


@pytest.mark.usefixtures("no_copy_is_left")
def test_a_leader_that_forgets_its_pending_isr(tmp_path: Path) -> None:
    """The high watermark passes a replica that the controller adds."""
    file = edited(tmp_path, ("pending=s.pending | isr, ", ""))
    done = CliRunner().invoke(main, ["check", file], obj=Catalogue.shipped())
    assert done.exit_code == 12
    assert "valid_high_watermark is violated" in done.stdout


@pytest.mark.usefixtures("no_copy_is_left")
def test_raft_where_servers_vote_whatever_the_candidate_has(tmp_path: Path) -> None:
    """Two servers commit different entries."""
    looks = " and asked.last >= last_of(node.log)"
    file = edited(tmp_path, (looks, ""), model=RAFT)
    words = ["check", file, "--bounds", "in_flight=1,faults=0,terms=3"]
    words += ["--traces", str(tmp_path)]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    assert "committed_entries_agree is violated after 24 states" in done.stdout


CONSTRAINT = """
@model.constraint
def is_within_bounds(s: System) -> bool:
    is_short = s.offsets[LEADER] <= s.size.max_offset
    return is_short and s.controller.version <= s.size.max_version


@model.always
"""


@pytest.mark.usefixtures("no_copy_is_left")
def test_what_tlc_counts(tmp_path: Path) -> None:
    """With a constraint for guards, 134,129 generated and 22,456 distinct states.

    TLC counts the initial state as generated, and no state beyond the constraint as
    distinct.
    """
    file = edited(
        tmp_path,
        ("if self.controller.version < self.size.max_version:", "if True:"),
        (
            "if s.offsets[replica] < end:",
            "if replica == LEADER or (s.offsets[replica] < end):",
        ),
        ("range(size.max_version + 1)", "range(size.max_version + 2)"),
        ("@model.always\n", CONSTRAINT),
    )
    words = ["check", file, "--json", "-", "--no-cache"]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    (result,) = json.loads(done.stdout)["results"]
    beyond = result["coverage"]["constraints"]["is_within_bounds"]
    assert result["generated"] + 1 == 134_129
    assert result["states"] - beyond == 22_456
