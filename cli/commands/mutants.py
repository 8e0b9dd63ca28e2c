"""``replicheck mutants``: is every protocol that is known to be wrong caught?"""

from __future__ import annotations

import json
import sys

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import most_severe
from replicheck.cli.console.options import json_option, require_one_form, threads_option
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    reserve_standard_output,
    write_output,
)
from replicheck.cli.pages.mutant_page import entry, page, print_trials
from replicheck.cli.reports.text.terminal import standard_error, standard_output
from replicheck.cli.runs.mutant_trials import run_trials
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.mutants import Mutant, chosen, variants_of
from replicheck.invariants.catalogue.own.offered_models import installed
from replicheck.invariants.catalogue.own.references import is_reference


def _is_own(catalogue: Catalogue, name: str) -> bool:
    """Tell whether a name is that of a model of the user's own, installed or not."""
    if is_reference(name):
        return True
    return name not in catalogue.mutants and name in installed()


def _variants(catalogue: Catalogue, reference: str) -> tuple[Mutant, ...]:
    """The variants of a model of the user's own, each of which is to be caught."""
    scenario = catalogue.load(reference)
    found = variants_of(scenario, catalogue.systems[scenario.model])
    if not found:
        raise Place(reference).error(
            "the model has no variant: write `model.variant(NAME, {old: new})`"
        )
    return found


@click.command("mutants")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.option("--markdown", is_flag=True, help="Write the page docs/mutants.md.")
@threads_option("Search with so many threads instead of one for each core.")
@click.pass_obj
def run_mutants(
    catalogue: Catalogue,
    /,
    names: tuple[str, ...],
    as_json: bool,
    markdown: bool,
    threads: int | None,
) -> None:
    """Run protocols with a broken rule, and say what catches each.

    NAME is a mutant, its id such as m-4, or Kafka's issue; without one, all are run.
    FILE.py, or the name of an installed model, runs the variants of that model.
    `replicheck check MUTANT` tells the run to the violation. Exit codes: 0 if each is
    caught as expected, or declared as one that nothing can catch; 2 wrong usage; 10 one
    is alive, or caught by another run than expected; 75 error in the model; 151 wrong
    name.
    """
    require_one_form(as_json, markdown)
    if markdown:
        reserve_standard_output()
    try:
        own = [name for name in names if _is_own(catalogue, name)]
        shipped = tuple(name for name in names if name not in own)
        mutants = [mutant for name in own for mutant in _variants(catalogue, name)]
        if shipped or not own:
            mutants += chosen(shipped, tuple(catalogue.mutants.values()))
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    board = ProgressBoard(standard_error(), len(mutants))
    with board.live():
        settings = Settings(threads=threads or 0)
        done = list(run_trials(catalogue, mutants, settings, board))
    if as_json:
        document = {"mutants": [entry(trial) for trial in done]}
        write_output(STANDARD_OUTPUT, f"{json.dumps(document, indent=2)}\n", "--json")
    elif markdown:
        write_output(STANDARD_OUTPUT, page(done), "--markdown")
    else:
        print_trials(standard_output(), done)
    sys.exit(most_severe(trial.code for trial in done))
