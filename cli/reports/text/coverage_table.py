"""The counts of actions and guards, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from replicheck.cli.results.result import Result

GUARDS = 4
"""So many guards of an action are shown: those that turned it down most often."""


def print_coverage(out: Console, results: Sequence[Result]) -> None:
    """Print a table for each result."""
    for result in results:
        out.print()
        out.print(Text(result.task.title, "bold"), soft_wrap=True)
        for line in _about(result):
            out.print(line, soft_wrap=True)
        out.print(_table(result))


def _about(result: Result) -> Iterator[str]:
    coverage = result.coverage
    if coverage.guards is None:
        yield f"  the engine {result.task.engine} counts no guards"
    else:
        sampled, states = coverage.guards.sampled, result.report.states
        counted = f"guards are counted in {sampled:,} of {states:,} states"
        yield f"  {counted}, by the questions that this search learned"
    for name, held in coverage.premises.items():
        if not held:
            yield f"  nothing that was visited fulfils the premise of {name}"


def _table(result: Result) -> Table:
    guards = result.guards.actions
    table = Table()
    table.add_column("action", overflow="fold")
    table.add_column("taken", justify="right")
    table.add_column("enabled", justify="right")
    table.add_column("turned down by, of how often it was asked", overflow="fold")
    for name, count in result.report.actions.items():
        asked = guards.get(name, {}).items()
        strictest = sorted(asked, key=lambda item: -item[1].refused)[:GUARDS]
        texts = (
            f"{guard} {guard_count.refused:,} of {guard_count.asked:,}"
            for guard, guard_count in strictest
            if guard_count.refused
        )
        enabled = f"{count.enabled:,}" if count.enabled else "never"
        table.add_row(name, f"{count.generated:,}", enabled, "\n".join(texts))
    return table
