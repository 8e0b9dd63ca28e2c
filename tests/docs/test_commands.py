"""The commands in the documentation print what it shows.

A block begins with ``$`` and a command; what is below it are lines of the output in
their order, and ``...`` stands for any others. Blocks of one page run in one folder.
"""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from checkout import DOCS, ROOT
from command_line.own_models import imports_of
from command_line.run_pages import QUICK, SLOW, commands
from replicheck.cli.main import main
from replicheck.invariants.catalogue.bugs import ISSUE
from replicheck.invariants.catalogue.catalogue import Catalogue
from shipped import CATALOGUE, SYSTEMS

NAMES = re.compile(r"<text class=\"title\"[^>]*>([a-z_]+_[a-z_]+)</text>")


def run(command: str) -> str:
    """Output of a command, with names by patterns, as a shell has them.

    What it writes behind ``>`` is in that file.
    """
    words = [
        name
        for word in shlex.split(command)
        for name in (map(str, Path().glob(word)) if "*" in word else [word])
    ]
    assert words.pop(0) == "replicheck"
    target = None
    if ">" in words:
        words, target = words[: words.index(">")], words[-1]
    done = CliRunner().invoke(main, words, obj=Catalogue.shipped())
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if target is not None:
        Path(target).write_text(done.stdout, "utf-8")
        return ""
    return done.stdout


def missing(shown: list[str], output: str) -> str:
    """The first line that is shown and not printed in its place, or nothing."""
    rest = iter(" ".join(line.split()) for line in output.splitlines())
    for line in shown:
        parts = [" ".join(part.split()) for part in line.split("...")]
        wanted = [part for part in parts if part]
        if wanted and not any(all(w in told for w in wanted) for told in rest):
            return line
    return ""


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_a_page_shows_what_its_commands_print(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line by line, in their order."""
    for folder in ("examples", "tests", "traces"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    page = DOCS / f"{name}.md"
    for block in re.findall(
        r"```(?:python|toml)\n# ([\w-]+\.\w+)\n(.*?)```", page.read_text(), re.S
    ):
        (tmp_path / block[0]).write_text(block[1], "utf-8")
    told = list(commands(page))
    assert told
    with imports_of(tmp_path, monkeypatch):
        for command, shown in told:
            output = run(command)
            assert missing(shown, output) == "", f"{command}\n{output}"


def test_a_line_that_is_not_printed_is_noticed() -> None:
    """Lines have an order, and spaces do not count."""
    assert missing(["a  b", "...", "c"], "a b\nx\nc\n") == ""
    assert missing(["c", "a b"], "a b\nc\n") == "a b"
    assert missing(["a ... d"], "a b c d\n") == ""


def test_scenarios_by_question_are_there() -> None:
    """Each name is a scenario or a protocol, and the answer is the expected one."""
    page = (DOCS / "scenarios-by-question.md").read_text("utf-8")
    rows = re.findall(r"^\| .* \| `([a-z0-9-]+)` \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) > 30
    for name, answer in rows:
        scenario = CATALOGUE.scenarios[name]
        if answer.startswith(("holds", "violated")):
            assert scenario.expect is not None
            assert answer.startswith(scenario.expect.verdict), name
        else:
            known = SYSTEMS[scenario.model].protocols_by_name
            assert set(re.findall(r"`(.*?)`", answer)) <= set(known), name


@pytest.mark.parametrize("name", ["cluster", "request", "fetcher"])
def test_the_diagrams_have_names_of_the_model(name: str) -> None:
    """A title that looks like an action is one, and the picture is the current one."""
    diagrams = runpy.run_path(str(ROOT / ".ci" / "diagrams.py"))["DIAGRAMS"]
    text = (DOCS / "pictures" / f"{name}.svg").read_text("utf-8")
    assert text == diagrams[name].svg(), "draw it anew: make pictures"
    actions = {
        action.__name__
        for system in SYSTEMS.values()
        for protocol in system.protocols
        for action in protocol.actions
    }
    assert set(NAMES.findall(text)) <= actions


def test_issues_in_the_scenarios_by_question_are_bugs_of_kafka() -> None:
    """Each is in the register."""
    page = (DOCS / "scenarios-by-question.md").read_text("utf-8")
    known = {issue for bug in CATALOGUE.bugs.values() for issue in bug.issues}
    named = {issue for issue in ISSUE.findall(page) if issue.startswith("KAFKA")}
    assert named - known == set()
