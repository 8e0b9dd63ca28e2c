"""Every command that a page shows in a block is run by a test, or named here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from checkout import DOCS, ROOT
from command_line.run_pages import PAGES_THAT_RUN, commands
from replicheck.cli.main import main

FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
SHELLS = ("", "text", "console", "sh", "bash", "shell")
PROGRAMS = re.compile(
    r"(?:[A-Z_]+=\S* )*(?:\.venv/bin/|\./|environment/bin/)?"
    r"(?:replicheck|make|git|cd|pip|python|pytest|venv-pack|spark-submit|grep|ls|spin"
    r"|gcc|pan)\b(?! *:)"
)
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted(DOCS.rglob("*.md")),
    )
}

CLUSTERS = "needs a cluster of Spark; tests/explorer/engines/partitioned has local ones"
BENCHES = "measures for minutes; bench/ is no test"
JAVA = "needs Java, Maven and the jars of Kafka: `make conform`"
WALKS = "walks at random for a minute; tests/cli/commands/test_walk_report.py does so"
MAKE = "a target of the Makefile, which CI runs"
OWN_MODEL = "tests/docs/test_examples.py checks the model of the page in these ways"
NOT_RUN = {
    "CONTRIBUTING.md": {"make": MAKE},
    "README.md": {"make": MAKE},
    "docs/change-a-rule.md": {"": "tests/docs/test_change_a_rule.py runs them"},
    "docs/checkpoints.md": {
        ".venv/bin/python bench": BENCHES,
        "replicheck resume": "tests/cli/commands/test_resume.py goes on with runs",
    },
    "docs/ci.md": {"pytest": "tests/cli/test_pytest_plugin.py collects suites"},
    "docs/conformance.md": {"replicheck conform": JAVA},
    "docs/determinism.md": {"": "the nightly tests, of hours"},
    "docs/first-counterexample.md": {
        "git clone": "the set-up of a user, which CI does",
        "cd replicheck": "the set-up of a user, which CI does",
        ". .venv/bin/activate": "the set-up of a user, which CI does",
        "make setup": MAKE,
        "replicheck trace show": "tests/traces shows traces in each format",
    },
    "docs/incident.md": {"ls": "tests/observations reads the folder"},
    "docs/kraft.md": {
        "replicheck check kraft": "a whole suite: `make suites`",
    },
    "docs/kraft-conformance.md": {"replicheck conform": JAVA},
    "docs/own-model.md": {"replicheck check": OWN_MODEL, "replicheck trace": OWN_MODEL},
    "docs/pages.md": {
        "replicheck explore": "serves until Ctrl-C: tests/cli/commands/test_explore.py",
        "replicheck trace show": "tests/traces/test_trace_page.py opens such pages",
    },
    "docs/partitioned.md": {"": CLUSTERS},
    "docs/promela.md": {
        "": "needs Spin and a compiler of C: tests/explorer/test_promela.py"
    },
    "docs/ruled-out.md": {"python bench": BENCHES},
    "docs/scale.md": {"": BENCHES},
    "docs/simulation.md": {"replicheck": WALKS, ".venv/bin/python bench": BENCHES},
    "docs/validation.md": {"": "needs real clusters: `make nightly-clusters`"},
}
"""Why no test runs some commands of a page as they stand, by how they begin."""


def shell_commands(page: Path) -> Iterator[str]:
    """Yield each command in the blocks of a page, in one line without comments."""
    for language, block in FENCE.findall(page.read_text("utf-8")):
        lines = block.replace("\\\n", " ").splitlines()
        shown = [line[2:] for line in lines if line.startswith("$ ")]
        if not shown and lines and PROGRAMS.match(lines[0]) and language in SHELLS:
            shown = lines
        for line in shown:
            yield " ".join(re.sub(r"(^|\s)# .*", "", line).split())


def not_run(name: str) -> list[str]:
    """The commands of a page that are not run with it, nor with another page."""
    run = {
        " ".join(command.split())
        for page in PAGES_THAT_RUN
        for command, _ in commands(page)
    }
    return [command for command in shell_commands(PAGES[name]) if command not in run]


@pytest.mark.parametrize("name", PAGES)
def test_a_command_is_run_or_named_with_a_reason(name: str) -> None:
    """A command that is not named is to be shown with ``$`` and its output."""
    named = NOT_RUN.get(name, {})
    begins = tuple(named) or ("nothing is named",)
    assert [found for found in not_run(name) if not found.startswith(begins)] == []


@pytest.mark.parametrize("name", NOT_RUN)
def test_each_reason_is_of_a_command(name: str) -> None:
    """None is of a command that the page has no more."""
    found = not_run(name)
    for begin in NOT_RUN[name]:
        assert any(command.startswith(begin) for command in found), begin


def option_names(words: list[str]) -> tuple[set[str], set[str]]:
    """The options that words name, and those of the command that they begin with."""
    command: click.Command = main
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None
        command = found
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    return given, {name for option in command.params for name in option.opts}


@pytest.mark.parametrize("name", PAGES)
def test_the_options_of_every_command_exist(name: str) -> None:
    """Also of the commands that are not run."""
    for command in shell_commands(PAGES[name]):
        if command.startswith("replicheck "):
            given, known = option_names(shlex.split(command)[1:])
            assert given <= {*known, "--help", "--version"}, command
