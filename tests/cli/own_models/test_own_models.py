"""Models of a user's own: one file, and every command takes it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from command_line.messages import require_message
from command_line.own_models import run

IMPATIENT = ("two_phase.py", "--protocol", "impatient")

pytestmark = pytest.mark.usefixtures("folder")


def violation() -> str:
    """The file of a saved run of the variant."""
    done = run("check", *IMPATIENT, "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    assert isinstance(file, str)
    return file


def test_a_file_is_checked() -> None:
    """All that it claims holds, and the command that repeats it names the file."""
    done = run("check", "two_phase.py")
    assert done.exit_code == 0
    assert "holds: visited all 74 states" in done.stdout
    assert "reproduce: replicheck check two_phase.py" in done.stdout


@pytest.mark.parametrize("name", ["-two_phase.py", "two phase.py"])
def test_the_command_that_repeats_a_check_is_taken(name: str) -> None:
    """Also where the name of the file begins like an option, or has a space."""
    Path("two_phase.py").rename(name)
    done = run("check", f"./{name}", "--engine", "naive")
    (command,) = re.findall("reproduce: replicheck (.*)", done.stdout)
    repeated = run(*shlex.split(command))
    assert "holds: visited all 74 states" in repeated.stdout, repeated.output


@pytest.mark.parametrize("options", [(), ("--dependencies",)])
def test_a_file_is_shown_by_its_whole_path(options: tuple[str, ...]) -> None:
    """Also where it is below the current directory."""
    shown = run("show", "two_phase.py", *options)
    assert shown.exit_code == 0
    by_path = run("show", str(Path("two_phase.py").absolute()), *options)
    assert by_path.stdout == shown.stdout


def test_a_model_that_claims_nothing(folder: Path) -> None:
    """The report says that no property was judged; one claim ends the note."""
    note = "nothing is claimed: no property was judged"
    text = Path("two_phase.py").read_text("utf-8")
    silent = re.sub(r"(?m)^@model\.(always|sometimes|every_step)$", "", text)
    (folder / "silent.py").write_text(silent, "utf-8")
    done = run("check", "silent.py", "--engine", "naive")
    assert done.exit_code == 0
    assert note in done.stdout
    assert note not in run("check", "two_phase.py", "--engine", "naive").stdout


def test_the_variants_of_a_model_are_named() -> None:
    """Both by `show` and by `list`, as variants."""
    assert "\nVariants:\n  impatient  " in run("show", "two_phase.py").stdout
    listed = run("list", "two_phase.py").stdout
    assert "\nVariants of two_phase.py:\n  impatient  " in listed


@pytest.mark.parametrize("command", ["check", "fuzz", "simulate"])
def test_what_is_too_large_is_refused_before_it_is_built(command: str) -> None:
    """Of 200 participants that are alike not one renaming is made."""
    done = run(command, "two_phase.py", "--bounds", "participants=200")
    assert done.exit_code in (0, 10, 151), done.output
    few = run("check", "two_phase.py", "--bounds", "participants=9", "--symmetry")
    assert few.exit_code == 2
    assert "more than 5,039 renamings" in few.output


@pytest.mark.parametrize("name", ["two_phase.py:model", "two_phase:model"])
def test_a_model_is_named_by_its_file_or_its_module(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name behind the colon says which, where there are several."""
    monkeypatch.syspath_prepend(folder)
    assert "visited all 74 states" in run("check", name).stdout


def test_symmetry_bounds_and_engines() -> None:
    """Options of shipped scenarios are options of one's own."""
    done = run("check", "two_phase.py", "--bounds", "participants=4,crashes=2")
    assert "visited all 267 states" in done.stdout
    naive = run("check", "two_phase.py", "--engine", "naive")
    assert "visited all 74 states" in naive.stdout
    fewer = run("check", "two_phase.py", "--symmetry")
    assert "visited all 27 states" in fewer.stdout


def test_a_variant_is_violated_and_its_run_is_saved() -> None:
    """The trace is replayed once the user names the file with the code."""
    file = violation()
    refused = run("trace", "replay", file)
    assert refused.exit_code == 151
    assert "is run only if you name it: add --model two_phase.py" in refused.stderr
    replayed = run("trace", "replay", file, "--model", "two_phase.py")
    assert "still violates" in replayed.stdout
    shown = run("trace", "show", file, "--model", "two_phase.py", "--format", "mermaid")
    assert "sequenceDiagram" in shown.stdout


def test_an_edit_is_never_answered_from_the_cache() -> None:
    """The key has the source of the file, and of what it imports."""
    Path("words.py").write_text("CRASHES = 1\n", "utf-8")
    text = (
        Path("two_phase.py")
        .read_text("utf-8")
        .replace("from enum", "import words\nfrom enum")
    )
    Path("two_phase.py").write_text(text, "utf-8")

    def is_cached() -> bool:
        for name in ("two_phase", "words"):
            sys.modules.pop(name, None)
        done = run("check", "two_phase.py", "--json", "-")
        (result,) = json.loads(done.stdout)["results"]
        return bool(result["cached"])

    assert [is_cached(), is_cached()] == [False, True]
    Path("words.py").write_text("CRASHES = 2\n", "utf-8")
    assert not is_cached()


def test_a_suite_names_files_beside_it() -> None:
    """An entry takes the model itself, and a scenario of its own takes it as model."""
    Path("sub").mkdir()
    shutil.move("two_phase.py", "sub/two_phase.py")
    Path("sub/mine.toml").write_text(
        """
[scenarios.four]
summary = "Four participants"
model = "two_phase.py"
protocol = "two-phase"
bounds = { participants = 4 }

[[check]]
scenario = "two_phase.py"
expect = { verdict = "holds", states = 74 }

[[check]]
scenario = "four"
expect = { verdict = "holds" }
""",
        "utf-8",
    )
    done = run("check", "sub/mine.toml")
    assert done.exit_code == 0, done.output


def test_a_wrong_name_beside_a_file() -> None:
    """A user who names both is told of the wrong one, and of those that are near."""
    done = run("check", "two_phase.py", "replicatoin")
    assert done.exit_code == 151
    assert 'did you mean "replication"?' in done.stderr


def test_fuzz_draws_bounds_within_ranges() -> None:
    """Those of the bounds' fields, or those that a suite has."""
    Path("mine.toml").write_text(
        """
[scenarios.mine]
summary = "Few participants"
model = "two_phase.py"
protocol = "impatient"
ranges = { participants = [2, 3], crashes = [0, 1] }

[[check]]
scenario = "mine"
""",
        "utf-8",
    )
    few = ("--examples", "3")
    assert (
        "drawn: participants 2-3, crashes 0-1" in run("fuzz", "mine.toml", *few).stdout
    )
    assert (
        "drawn: participants 1-4, crashes 0-2" in run("fuzz", *IMPATIENT, *few).stdout
    )


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            "model.variant(model.name, {crash: crash})",
            "give the variant another name",
        ),
        (
            "model.variant('impatient', {crash: crash})",
            "give the variant another name",
        ),
        ("model.variant('v', {})", "the variant v replaces no action"),
        ("model.strongly_fair(finished)", "is no action: write `@model.action`"),
        ("model.always(two)", "two takes 2 states, expected one state"),
        ("model.every_step(finished)", "finished takes one state, expected 2 states"),
        ("model.always(unknown)", "the annotations of unknown cannot be read: name 'N"),
        ("model.action(both)", "both takes 2 states, expected one state"),
    ],
)
def test_a_definition_that_would_be_lost_is_refused(
    folder: Path, added: str, message: str
) -> None:
    """So the verdict is of the model that is written."""
    functions = """
def finished(s: System) -> bool:
    return True

def two(s: System, t: System) -> bool:
    return True

def unknown(s: System, first: Nope) -> bool:
    return True

def both(s: System, t: System) -> Iterator[System]:
    yield s

"""
    file = folder / "two_phase.py"
    file.write_text(file.read_text("utf-8") + functions + added + "\n", "utf-8")
    require_message(run("check", "two_phase.py"), 151, message)


def test_what_a_variant_has_in_place_of_a_fault_is_a_fault() -> None:
    """It is not bound to happen, so that a run may stay without it for ever."""
    action = "@model.{}\ndef crash(s: Node) -> Iterator[Node]:\n    if s.up:\n"
    text = f"""
from __future__ import annotations
from collections.abc import Iterator
from replicheck.modelling import Model, State

class Node(State):
    up: bool = True

model = Model("node")

@model.initial
def running(bounds: object) -> Node:
    return Node()

{action}        yield s.evolve(up=False)

def stop(s: Node) -> Iterator[Node]:
    if s.up:
        yield s.evolve(up=False)

model.variant("stops", {{crash: stop}})

@model.eventually_always
def is_down(s: Node) -> bool:
    return not s.up
"""
    for mark, code in (("fault", 15), ("action", 0)):
        file = Path(f"{mark}_node.py")
        file.write_text(text.replace("model.{}", f"model.{mark}"), "utf-8")
        for protocol in ("node", "stops"):
            done = run("check", str(file), "--livelocks", "--protocol", protocol)
            assert done.exit_code == code, done.output


def test_a_taken_folder_is_told_with_the_command_that_goes_on() -> None:
    """It names the code of the run that is there, and works as it is printed."""
    options = ("--checkpoint", "of two", "--limit-seconds", "1e-9")
    assert run("check", "two_phase.py", *options).exit_code == 77
    refused = run("check", "replication", *options)
    assert refused.exit_code == 2
    command = "replicheck resume 'of two' --model two_phase.py"
    assert f"go on with it: `{command}`" in refused.stderr
    _, *words = shlex.split(command)
    done = run(*words, "--limit-seconds", "100")
    assert "visited all 74 states" in done.stdout, done.output
