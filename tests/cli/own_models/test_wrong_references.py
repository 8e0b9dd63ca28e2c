"""A reference to what is not there is one message in every command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line.messages import require_message
from command_line.own_models import COUNTER, example_in, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder with an example, a package and a file without a model."""
    with example_in(tmp_path, monkeypatch):
        sys.path.insert(0, str(tmp_path))
        package = tmp_path / "package_with_a_model"
        package.mkdir()
        package.joinpath("__init__.py").touch()
        tmp_path.joinpath("two_phase.py").rename(package / "commit.py")
        tmp_path.joinpath("no_model.py").write_text("x = 1\n", "utf-8")
        yield tmp_path


COMMANDS = {
    "check": (),
    "show": (),
    "list": (),
    "mutants": (),
    "simulate": (),
    "fuzz": (),
    "explore": (),
    "export": ("--format", "dot"),
}
WRONG = {
    "nowhere.py": "there is no such file",
    "no_model.py": "there is no model in it: write `model = Model",
    "no_model.py:x": 'there is no model "x"',
    "package_with_a_model.commit:modle": 'no model "modle"; did you mean "model"?',
    "package_with_a_model.nothing:model": "no module package_with_a_model.nothing",
    "no_such_package.commit:model": "there is no module no_such_package",
}


@pytest.mark.parametrize("reference", WRONG)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_names_the_reference_and_what_is_wrong(command: str, reference: str) -> None:
    """With the exit code of bad input, and no traceback."""
    done = run(command, reference, *COMMANDS[command])
    assert done.exit_code == 151, done.output
    assert reference in done.stderr
    assert WRONG[reference] in done.stderr


def test_a_file_has_the_name_of_an_installed_module(folder: Path) -> None:
    """It would stand in that module's place, whether it was imported or not."""
    folder.joinpath("colorsys.py").write_text("x = 1\n", "utf-8")
    sys.modules.pop("colorsys", None)
    done = run("check", "colorsys.py")
    assert done.exit_code == 151
    told = "rename the file: Python has a module colorsys already"
    assert told in done.stderr


def test_a_file_beside_a_model_hides_no_module_of_replicheck(folder: Path) -> None:
    """It is found first while the model is loaded, and last from then on."""
    model = folder / "package_with_a_model" / "commit.py"
    text = "import colorsys\nassert colorsys.x\n"
    own = model.read_text("utf-8").replace("from enum", f"{text}from enum")
    folder.joinpath("mine.py").write_text(own, "utf-8")
    folder.joinpath("colorsys.py").write_text("x = 1\n", "utf-8")
    sys.modules.pop("colorsys", None)
    sys.path.remove(str(folder))
    assert "visited all 74 states" in run("check", "mine.py").stdout
    assert (sys.path[0], sys.path[-1]) != (str(folder), str(folder))
    assert sys.path[-1] == str(folder)
    del sys.modules["colorsys"]


def test_a_file_that_is_a_loop_of_links(folder: Path) -> None:
    """The system's reason is given."""
    (folder / "wrong.py").symlink_to(folder / "wrong.py")
    require_message(run("check", "wrong.py"), 151, "wrong.py: cannot be read")


def test_a_folder_in_place_of_a_file(folder: Path) -> None:
    """It is no file, and it is there."""
    (folder / "wrong.py").mkdir()
    require_message(run("check", "wrong.py"), 151, "wrong.py: is not a regular file")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\0\0", "it has a null byte"),
        (b"x = 1\n# \xff\n", "invalid"),
        (b"# coding: no-such\n", "unknown encoding"),
    ],
)
def test_a_file_that_is_no_text(folder: Path, content: bytes, reason: str) -> None:
    """That is said, and not that a line is wrong."""
    (folder / "wrong.py").write_bytes(content)
    done = run("check", "wrong.py")
    require_message(done, 151, "wrong.py: is no text of Python: ")
    assert reason in done.stderr
    assert "line None" not in done.stderr


def test_a_file_without_end(folder: Path) -> None:
    """It is measured before it is read."""
    with (folder / "wrong.py").open("w", encoding="utf-8") as file:
        file.truncate(2**40)
    require_message(run("check", "wrong.py"), 151, "is larger than 16,777,216 bytes")


RELATIVE = {
    "from . import no_model": "mine.py:2",
    "from .no_model import x": "mine.py:2",
    "import relative_beside": "relative_beside.py:1",
}


@pytest.mark.parametrize("line", RELATIVE)
def test_a_file_with_a_relative_import(folder: Path, line: str) -> None:
    """It is in no package: its line is named, and how a file beside it is imported."""
    folder.joinpath("relative_beside.py").write_text(
        "from . import no_model\n", "utf-8"
    )
    folder.joinpath("mine.py").write_text(f"x = 1\n{line}\n", "utf-8")
    done = run("check", "mine.py")
    require_message(done, 151, "mine.py: a relative import (")
    assert f"{RELATIVE[line]}) has no package" in done.stderr
    assert "Write `import NAME` for a file beside it" in done.stderr


def test_a_file_imports_a_file_beside_it(folder: Path) -> None:
    """As the message says, by its name."""
    package = folder / "package_with_a_model"
    text = package.joinpath("commit.py").read_text("utf-8")
    beside = text.replace("from enum", "import numbers_beside\nfrom enum")
    package.joinpath("mine_beside.py").write_text(beside, "utf-8")
    package.joinpath("numbers_beside.py").write_text("CRASHES = 1\n", "utf-8")
    done = run("check", "package_with_a_model/mine_beside.py")
    assert "visited all 74 states" in done.stdout


PLAIN_STATE = """
class Door:
    is_open: bool = False

@model.initial
def closed(size: Size) -> Door:
    return Door(False)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("@model.action()\ndef go(s): ...\n", "write `@model.action` without parenth"),
        ("@model.always()\ndef good(s): ...\n", "write `@model.always` without paren"),
        (PLAIN_STATE, "write `class Door(State):`, or `(Value)` where it is in a cell"),
    ],
)
def test_what_python_tells_by_a_message_of_its_own(
    tmp_path: Path, text: str, told: str
) -> None:
    """A decorator that is called, and a class without a base: what to write."""
    file = tmp_path / "mistaken.py"
    file.write_text(COUNTER + text)
    require_message(run("check", str(file)), 151, told)


DECORATED = """
import attr, attrs, dataclasses
from replicheck.modelling import Bounds, State, Value

@{decorator}
class Mine({base}):
    value: int = 0
"""
DECORATORS = [
    "attrs.define",
    "attrs.frozen",
    "attrs.frozen(slots=False)",
    "attr.s",
    "attr.s(auto_attribs=True)",
    "attr.s(slots=True)",
    "dataclasses.dataclass(frozen=True)",
    "dataclasses.dataclass(slots=True)",
]


@pytest.mark.parametrize("base", ["State", "Value", "Bounds"])
@pytest.mark.parametrize("decorator", DECORATORS)
def test_a_class_that_needs_no_decorator(decorator: str, base: str) -> None:
    """Its name is told, and its line; it was an error of attrs, or fields were lost."""
    text = DECORATED.format(decorator=decorator, base=base)
    Path("decorated.py").write_text(text, "utf-8")
    done = run("check", "decorated.py")
    require_message(done, 151, "Mine has a decorator of attrs or dataclasses")
    assert "decorated.py:5" in done.stderr


@pytest.mark.parametrize("base", ["State", "Value", "Bounds"])
def test_a_decorator_that_changes_nothing_is_no_error(base: str) -> None:
    """A dataclass leaves the methods that a class has."""
    text = DECORATED.format(decorator="dataclasses.dataclass", base=base)
    Path("decorated.py").write_text(f"{text}\nassert Mine(1) != Mine(2)\n", "utf-8")
    require_message(run("check", "decorated.py"), 151, "there is no model in it")


FALLS = """
@model.initial
def zero(bounds: Size) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    yield s.evolve(value=s.value + 1)

@model.always
def small(s: Counter) -> bool:
    return s.value < 2
"""
"""A model whose claim a run of three states violates."""


@pytest.fixture
def saved_run(folder: Path) -> str:
    """File with a run of a model whose file has another name by now."""
    folder.joinpath("falling.py").write_text(COUNTER + FALLS, "utf-8")
    run("check", "falling.py", "--no-cache", "--traces", "kept")
    folder.joinpath("falling.py").rename(folder / "renamed_falling.py")
    (file,) = Path("kept").iterdir()
    return str(file)


def test_a_page_of_a_run_names_the_model_as_its_scenario(saved_run: str) -> None:
    """Such a command has no option of its own for the file of the model."""
    done = run("explore", "--trace", saved_run)
    command = f"replicheck explore falling.py --trace {saved_run}"
    require_message(done, 151, f"run only if you name it: {command}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "show", "--model", "renamed_falling.py"),
        ("trace", "replay", "--model", "renamed_falling.py"),
        ("explore", "renamed_falling.py", "--trace"),
    ],
    ids=["show", "replay", "explore"],
)
def test_a_run_of_another_file_than_the_named_one(
    saved_run: str, words: tuple[str, ...]
) -> None:
    """The message has both, and does not ask for what was given."""
    told = "is of the model falling.py, and not of renamed_falling.py: name the file"
    require_message(run(*words, saved_run), 151, told)


def test_a_search_of_another_file_than_the_named_one(folder: Path) -> None:
    """As of a saved run."""
    folder.joinpath("falling.py").write_text(COUNTER + FALLS, "utf-8")
    cut = run("check", "falling.py", "--limit-seconds", "1e-9", "--checkpoint", "kept")
    assert cut.exit_code == 77
    folder.joinpath("falling.py").rename(folder / "renamed_falling.py")
    told = "is of the model falling.py, and not of renamed_falling.py: name the file"
    require_message(run("resume", "kept", "--model", "renamed_falling.py"), 151, told)
