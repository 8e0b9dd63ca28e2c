"""``replicheck bugs``: which of Kafka's own bugs are reproduced, and which are not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import click

from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import json_option, require_one_form
from replicheck.cli.pages.bug_page import counts, entry, page, with_a_story
from replicheck.cli.reports.terminal import standard_error
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.cli.runs.mutant_trials import trials
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.invariants.catalogue.bugs import Bug
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.mutants import Mutant


@click.command("bugs")
@json_option
@click.option(
    "--markdown",
    is_flag=True,
    help="Search for the runs to those that must be shown; write docs/bugs.md.",
)
@click.pass_obj
def list_bugs(catalogue: Catalogue, /, as_json: bool, markdown: bool) -> None:
    """List Kafka's own bugs, and the mutants that reproduce each, or why none does.

    What is listed is what the register says; `replicheck mutants` runs the mutants.
    Exit codes: 0 if every bug that must be shown is, 2 wrong usage, 10 if one is not.
    With --markdown: 0 if every mutant is caught as expected, 10 if one is not, 75 error
    in the model.
    """
    require_one_form(as_json, markdown)
    bugs = tuple(catalogue.bugs.values())
    if markdown:
        done = _run(catalogue, [mutant for _, mutant in with_a_story(bugs)])
        click.echo(page(bugs, {each.mutant.name: each for each in done}), nl=False)
        sys.exit(most_severe(each.code for each in done))
    if as_json:
        click.echo(json.dumps({"bugs": [entry(each) for each in bugs]}, indent=2))
    else:
        for line in _lines(bugs):
            click.echo(line)
    if any(each.is_missing for each in bugs):
        sys.exit(ExitCode.EXPECTATION)


def _run(catalogue: Catalogue, mutants: Sequence[Mutant]) -> tuple[MutantTrial, ...]:
    board = ProgressBoard(standard_error(), len(mutants))
    with board.live():
        return tuple(trials(catalogue, mutants, Settings(), board))


def _lines(bugs: Sequence[Bug]) -> Iterator[str]:
    width = max(len(each.name) for each in bugs)
    for each in bugs:
        yield f"{each.name:{width}}  {each.tier:6}  {each.status:10}  {_told(each)}"
    yield ""
    yield from counts(bugs)


def _told(bug: Bug) -> str:
    if bug.mutants:
        return ", ".join(each.name for each in bug.mutants)
    return bug.reason or bug.title
