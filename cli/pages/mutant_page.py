"""What became of mutants: as a table, as JSON, and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from replicheck.cli.reports.markdown_table import markdown_table
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.invariants.catalogue.systems import summary_line
from replicheck.model.rules import function_named

HEADINGS = ("mutant", "rule", "issue", "status", "caught by", "length", "states")
INTRODUCTION = """\
# Mutants

Protocols that are known to be wrong: the ones that Kafka gave up, and those in which
one rule is broken on purpose. `make docs` writes this page from what `replicheck
mutants` finds. *Length* counts the states of the shortest run that shows it;
`replicheck check NAME` tells that run. No reductions are on.
"""


def entry(trial: MutantTrial) -> dict[str, Any]:
    """A trial as JSON can hold it."""
    mutant = trial.mutant
    return {
        "name": mutant.name,
        "issue": mutant.issue,
        "rule": mutant.rule,
        "status": trial.status,
        "property": trial.caught_by,
        "length": trial.length,
        "states": trial.result.report.states,
        "expected": {
            "status": mutant.expected,
            "property": mutant.violates,
            "length": mutant.length,
        },
        "argument": mutant.argument,
        "model": mutant.scenario.model,
        "bounds": dict(mutant.scenario.bounds),
        "reductions": list(mutant.scenario.reductions),
        "problem": trial.problem,
    }


def print_trials(out: Console, trials: Sequence[MutantTrial]) -> None:
    """Print a table of the trials, their problems, the reductions, and the counts."""
    table = Table()
    for heading in HEADINGS:
        is_number = heading in ("length", "states")
        justify: Any = "right" if is_number else "left"
        table.add_column(heading, justify=justify, overflow="fold")
    for trial in trials:
        table.add_row(*_row(trial))
    out.print(table)
    for trial in trials:
        if trial.mutant.argument:
            out.print(f"{trial.mutant.name}: {trial.mutant.argument}", soft_wrap=True)
        if trial.problem:
            text = f"{trial.mutant.name}: exit {trial.code.value}: {trial.problem}"
            out.print(text, soft_wrap=True)
            out.print(f"  reproduce: {trial.command}")
    reductions = dict.fromkeys(
        m for trial in trials for m in trial.mutant.scenario.reductions
    )
    out.print(f"reductions: {', '.join(reductions) or 'none'}")
    out.print(counts(trial.status for trial in trials))


def page(trials: Sequence[MutantTrial]) -> str:
    """The page of the documentation."""
    return INTRODUCTION + "".join(f"{line}\n" for line in _lines(trials))


def _lines(trials: Sequence[MutantTrial]) -> Iterator[str]:
    for model in dict.fromkeys(trial.mutant.scenario.model for trial in trials):
        own = [trial for trial in trials if trial.mutant.scenario.model == model]
        headings = ("mutant", "what it does", "rule", "issue", "caught by", "length")
        yield ""
        yield f"## {model.capitalize()}: {counts(trial.status for trial in own)}"
        yield ""
        yield from markdown_table(headings, map(cells_of_page, own))
        for trial in own:
            if trial.mutant.argument:
                yield ""
                yield f"`{trial.mutant.name}`: {trial.mutant.argument}"


def cells_of_page(trial: MutantTrial) -> tuple[str, ...]:
    """Row of a mutant in the table of the page."""
    name, rule, issue, status, caught_by, length, _states = _row(trial)
    words = {"alive": "(needs liveness)", "equivalent": "(equivalent)"}
    catcher = words.get(status, f"`{caught_by}`")
    return (f"`{name}`", _change(trial), rule, issue, catcher, length)


def _row(trial: MutantTrial) -> tuple[str, ...]:
    mutant = trial.mutant
    length = "" if trial.length is None else str(trial.length)
    states = f"{trial.result.report.states:,}"
    about = (mutant.name, mutant.rule, mutant.issue, trial.status)
    return (*about, trial.caught_by, length, states)


def counts(statuses: Iterable[str]) -> str:
    """Counts of the statuses, in the order of their first."""
    found = Counter(statuses)
    return ", ".join(f"{count} {status}" for status, count in found.items())


def _change(trial: MutantTrial) -> str:
    """First line of the function that breaks the rule.

    For a protocol that was given up it is the first one that it alone has or, if there
    is none, the first one that its successor does without or replaces.
    """
    task = trial.result.task
    protocol = task.system.protocols_by_name[task.scenario.protocol]
    if protocol.original is not None:
        return summary_line(protocol.changes[0])
    known = task.system.protocols
    successor = known[known.index(protocol) + 1]
    elsewhere = {
        action for other in known if other is not protocol for action in other.actions
    }
    replaced, replaced_later = set(protocol.replacements), set(successor.replacements)
    broken = [action for action in protocol.actions if action not in elsewhere]
    broken += [function_named(by) for _, by in sorted(replaced - replaced_later)]
    broken += [action for action in protocol.actions if action not in successor.actions]
    broken += [function_named(old) for old, _ in sorted(replaced_later - replaced)]
    return summary_line(broken[0])
