"""Compare what searches find and visit with and without each step reduction.

``python bench/merging.py [SCENARIO ...]`` prints a table in Markdown, line by line: the
verdict, the states of the whole system, and those with each reduction of the model on
top of the ones before it. With ``--reduce`` the searches leave out steps besides, so
the table says what a step reduction is worth on top. It ends with an error if a
property has another outcome.
"""

from __future__ import annotations

from typing import Any

import click

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue.catalogue import Catalogue


def found(
    engine: Engine, catalogue: Catalogue, name: str, *reductions: str
) -> Report[Any]:
    """The report of a search that goes on until everything is decided."""
    (task,) = tasks(
        catalogue, [name], Overrides("breadth-first", reductions=reductions)
    )
    return engine.explore(task.model, task.properties, Search(stop=Stop.DECIDED))


def compared(engine: Engine, catalogue: Catalogue, name: str) -> str:
    """The line of a scenario."""
    system = catalogue.systems[catalogue.scenarios[name].model]
    whole = found(engine, catalogue, name)
    cells = [f"`{name}`", whole.verdict.value, f"{whole.states:,}"]
    choices = [each.name for each in system.reductions]
    for number, reduction in enumerate(choices, 1):
        report = found(engine, catalogue, name, *choices[:number])
        if dict(report.outcomes) != dict(whole.outcomes):
            raise SystemExit(f"{name}: with {reduction} a property has another outcome")
        cells.append(f"{report.states:,}")
    return f"| {' | '.join(cells)} |"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--reduce", "is_reduced", is_flag=True, help="Leave out steps besides.")
def main(names: tuple[str, ...], is_reduced: bool) -> None:
    """Compare the scenarios that are named, or all of models with reductions."""
    engine: Engine = ReducedBreadthFirst(1) if is_reduced else BreadthFirst(1)
    catalogue = Catalogue.shipped()
    for name, scenario in catalogue.scenarios.items():
        if catalogue.systems[scenario.model].reductions and (
            not names or name in names
        ):
            print(compared(engine, catalogue, name), flush=True)


if __name__ == "__main__":
    main()
