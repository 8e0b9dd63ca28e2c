"""Compares the naive engine with the fast one on scenarios, in a table in Markdown.

``python bench/agreement.py [NAME ...]`` takes scenarios, and names of models for all
shipped scenarios of them; without names it takes all. The two must agree on the states
of each depth, the generated states and enabled choices of each action, the verdict, the
outcome of each property and the length of each violation. Where its limit cuts the
naive engine, the levels that it has reached are compared. A difference is an error.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from attrs import frozen

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Limits, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue.catalogue import Catalogue


@frozen
class Patience:
    """Watches a search, and ends it after some seconds of the process's own time."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Patience:
        """Patience that ends ``seconds`` from now."""
        return cls(time.process_time() + seconds)

    def __call__(self, progress: Progress) -> None:
        """End the search if the time is over."""
        if time.process_time() > self.until:
            raise KeyboardInterrupt


def counts(report: Report[Any]) -> dict[str, Any]:
    """The counts that must be the same of levels that are searched."""
    return {"levels": report.levels, "actions": dict(report.actions)}


def findings(report: Report[Any]) -> dict[str, Any]:
    """The findings that must be the same of a search that is complete."""
    lengths = {each.property: len(each.trace.states) for each in report.violations}
    return {
        "verdict": report.verdict,
        "outcomes": dict(report.outcomes),
        "violated": lengths,
    }


def compared(catalogue: Catalogue, name: str, seconds: float) -> tuple[bool, str]:
    """Whether the engines agree on a scenario, and its line of the table."""
    (task,) = tasks(catalogue, [name], Overrides("naive"))
    stop = task.search(lambda progress: None).stop
    watched = Search(stop=stop, watch=Patience.of(seconds))
    naive = Naive().explore(task.model, task.properties, watched)
    limits = Limits() if naive.cut is None else Limits(depth=naive.depth)
    search = Search(limits, stop)
    fast = BreadthFirst(threads=1).explore(task.model, task.properties, search)
    agrees = counts(naive) == counts(fast)
    verdict, outcome = "not finished", "agree so far"
    if naive.cut is None:
        agrees = agrees and findings(naive) == findings(fast)
        verdict, outcome = naive.verdict.value, "agree"
    reached = f"{naive.states:,}", str(naive.depth), verdict
    return agrees, row(name, *reached, outcome if agrees else "DIFFER")


def row(*cells: str) -> str:
    """A line of the table."""
    return f"| `{cells[0]}` | {' | '.join(cells[1:])} |"


def known_states(catalogue: Catalogue, name: str) -> int:
    """Number of states that a scenario is known to have, 0 if that is not known."""
    expect = catalogue.scenarios[name].expect
    return (expect.states if expect else None) or 0


def chosen(catalogue: Catalogue, names: list[str]) -> list[str]:
    """The scenarios that are named themselves or by their model."""
    scenarios = catalogue.scenarios
    known = {*scenarios, *(each.model for each in scenarios.values())}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no scenario and no model: {', '.join(unknown)}")
    return [
        name
        for name, scenario in scenarios.items()
        if not names or name in names or scenario.model in names
    ]


def main() -> None:
    """Compare what is named, line by line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*")
    parser.add_argument(
        "--limit-seconds",
        type=float,
        default=60,
        help="of processor time for each search of the naive engine",
    )
    parser.add_argument(
        "--most-states",
        type=int,
        default=100_000,
        help="scenarios that are known to have more are not tried",
    )
    options = parser.parse_args()
    most = options.most_states
    catalogue = Catalogue.shipped()
    names = chosen(catalogue, options.name)
    print(
        "| scenario | states | depth | verdict | the engines |\n|---|---|---|---|---|"
    )
    different = []
    for name in sorted(names, key=lambda name: known_states(catalogue, name) or most):
        states = known_states(catalogue, name)
        if states > most:
            print(row(name, f"{states:,}", "", "", "not compared"), flush=True)
            continue
        agrees, line = compared(catalogue, name, options.limit_seconds)
        print(line, flush=True)
        if not agrees:
            different.append(name)
    if different:
        raise SystemExit(f"the engines differ: {', '.join(different)}")


if __name__ == "__main__":
    main()
