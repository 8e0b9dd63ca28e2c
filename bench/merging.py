"""Compare what searches find and visit with and without each reduction.

``python bench/merging.py [SCENARIO ...]`` prints a table in Markdown, line by line: the
verdict, the states of the whole system, with each reduction of the model, and with
all of them. It ends with an error if a property has another outcome.
"""

from __future__ import annotations

import sys
from typing import Any

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue.catalogue import Catalogue


def found(catalogue: Catalogue, name: str, *reductions: str) -> Report[Any]:
    """The report of a search that goes on until everything is decided."""
    (task,) = tasks(
        catalogue, [name], Overrides("breadth-first", reductions=reductions)
    )
    search = Search(stop=Stop.DECIDED)
    return BreadthFirst(threads=1).explore(task.model, task.properties, search)


def compared(catalogue: Catalogue, name: str) -> str:
    """The line of a scenario."""
    system = catalogue.systems[catalogue.scenarios[name].model]
    whole = found(catalogue, name)
    cells = [f"`{name}`", whole.verdict.value, f"{whole.states:,}"]
    choices = [each.name for each in system.reductions]
    for reduction in (*choices, *(["all"] if len(choices) > 1 else [])):
        report = found(catalogue, name, reduction)
        if dict(report.outcomes) != dict(whole.outcomes):
            raise SystemExit(f"{name}: with {reduction} a property has another outcome")
        cells.append(f"{report.states:,}")
    return f"| {' | '.join(cells)} |"


def main(names: list[str]) -> None:
    """Compare the scenarios that are named, or all of models with reductions."""
    catalogue = Catalogue.shipped()
    for name, scenario in catalogue.scenarios.items():
        if catalogue.systems[scenario.model].reductions and (
            not names or name in names
        ):
            print(compared(catalogue, name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
