"""Compute the tables of `replicheck advise` that are shipped.

    python bench/advice.py [--seconds 600] [--limit-states 20000000]

writes `cli/advice/results.json` after each table, and begins no other search after so
many seconds of CPU. Rows that the file has of the same code of the model are kept; with
a limit on states those are searched again that were cut before it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from replicheck.cli.advice.cell_searches import CellSearches
from replicheck.cli.advice.configuration import (
    Configuration,
    FaultSet,
    fault_sets,
    shipped_configurations,
)
from replicheck.cli.advice.model_code import of_cluster
from replicheck.cli.advice.shipped import FILE, read_results, results_text
from replicheck.cli.advice.table import AdviceTable, Row, SearchRow, computed_table
from replicheck.cli.results.result import Result, require_uninterrupted
from replicheck.cli.runs.single_search import SearchTask, single_searches
from replicheck.cli.tasks.task import Task
from replicheck.invariants.catalogue.catalogue import Catalogue

Tables = dict[Configuration, AdviceTable]


def main() -> None:
    """Compute every row that is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--limit-states", type=int)
    given = parser.parse_args()
    catalogue, tables = Catalogue.shipped(), _present_tables()
    for configuration in shipped_configurations():
        known = tables.pop(configuration, AdviceTable(configuration))
        with single_searches(sum(1 for _ in fault_sets())) as search:
            searches = CellSearches(catalogue, configuration, given.limit_states)
            missing = searches.rows(_uninterrupted(search))
            rows = _only_missing(known, missing, given.seconds, given.limit_states or 0)
            table = computed_table(configuration, rows)
        tables[configuration] = table
        FILE.write_text(results_text(of_cluster(), tables.values()), "utf-8")
        print(f"{configuration}: {sum(1 for _ in table.cut())} cells are not known")
        sys.stdout.flush()


def _only_missing(
    known: AdviceTable, search: SearchRow, end: float, least: int
) -> Callable[[FaultSet, tuple[str, ...]], Row | None]:
    """Known rows, and searches for the others until so many seconds of CPU.

    Args:
        least: a row that was cut before so many states is searched again.
    """

    def row(faults: FaultSet, asked: tuple[str, ...]) -> Row | None:
        found = known.rows.get(faults)
        if found is not None and found.asked != asked:
            found = None
        if found is not None and (found.is_complete or found.states >= least):
            return found
        return found if time.process_time() > end else search(faults, asked)

    return row


def _uninterrupted(search: SearchTask) -> SearchTask:
    def result(task: Task) -> Result:
        found = search(task)
        require_uninterrupted(found.report)
        return found

    return result


def _present_tables() -> Tables:
    """The tables in the file, if they are of the present model."""
    if not FILE.exists() or read_results().digest != of_cluster():
        return {}
    return {table.configuration: table for table in read_results().tables}


if __name__ == "__main__":
    main()
