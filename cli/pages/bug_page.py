"""Kafka's own bugs as JSON and as a page, with the run to each that must be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict

from replicheck.cli.reports.markdown_table import folded_text, markdown_table
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.explorer.report import Violation
from replicheck.invariants.catalogue.bugs import STATUSES, TIERS, Bug, KnownLasso
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.traces.run_text import step_lines

INTRODUCTION = """\
# Kafka's own bugs

Bugs that Kafka had, from its issues and their fixes, and what became of each here. A
bug is *reproduced* if a protocol that breaks the same rule in the same way is caught;
its shortest run then shows that the properties see such a bug. *Length* counts the
states of that run, and *bounds* are those of the search, without what is 0.
`replicheck check MUTANT` tells the run with everything that each step changes. `make
docs` writes this page from the register that `replicheck bugs` lists. Bugs that *must*
be shown are about what the models are for, those that *should* be about its edges, and
all others are *extra*.
"""
FOR_EVER = """\
These do their harm in runs that go on for ever. Beside the violation above, a
[claim about runs](liveness.md) finds each as a lasso; `replicheck check SEARCH
--livelocks --invariant CLAIM` tells it. A run of which no step repeats stands still:
nothing is enabled any more but what may be left out.
"""
HEADINGS = {
    "equivalent": "Equivalent",
    "liveness": "Only a property of whole runs would tell",
    "outside": "Outside of what is modelled",
    "not-yet": "Not yet looked at",
}
"""The title of each list of bugs that are not reproduced, by status."""


def entry(bug: Bug) -> dict[str, Any]:
    """A bug as JSON can hold it."""
    return {
        "name": bug.name,
        "issues": list(bug.issues),
        "title": bug.title,
        "tier": bug.tier,
        "rule": bug.rule,
        "instead": bug.instead,
        "fixed_in": bug.fixed_in,
        "status": bug.status,
        "mutants": [
            {"name": mutant.name, "property": mutant.violates, "length": mutant.length}
            for mutant in bug.mutants
        ],
        "reason": bug.reason,
        "differs": bug.differs,
        "lasso": None if bug.lasso is None else asdict(bug.lasso),
    }


def counts(bugs: Iterable[Bug]) -> Iterator[str]:
    """Yield for each tier how many bugs there are, by status."""
    found = Counter((bug.tier, bug.status) for bug in bugs)
    for tier in TIERS:
        parts = [
            f"{found[tier, status]} {status}"
            for status in STATUSES
            if found[tier, status]
        ]
        if parts:
            total = sum(found[tier, status] for status in STATUSES)
            yield f"{total} {tier}: {', '.join(parts)}"


def page(bugs: Sequence[Bug], trials: Mapping[str, MutantTrial]) -> str:
    """The page of the documentation.

    Args:
        bugs: the register.
        trials: what the search of each mutant in ``bugs_with_runs`` found, by its name.
    """
    lines = [tables(bugs)]
    for bug, mutant in bugs_with_runs(bugs):
        lines.append(run_section(bug, trials[mutant.name]))
    return "".join(lines)


def bugs_with_runs(bugs: Iterable[Bug]) -> Iterator[tuple[Bug, Mutant]]:
    """Yield the bugs whose run the page tells, each with the mutant that runs."""
    for bug in bugs:
        if bug.tier == "must" and bug.status == "reproduced":
            yield bug, bug.mutants[0]


def tables(bugs: Sequence[Bug]) -> str:
    """The page up to the runs, which needs no search."""
    return INTRODUCTION + "".join(f"{line}\n" for line in _lines(bugs))


def run_section(bug: Bug, trial: MutantTrial) -> str:
    """The part of the page that tells the shortest run to a bug."""
    return "".join(f"{line}\n" for line in _run_section(bug, trial))


def _lines(bugs: Sequence[Bug]) -> Iterator[str]:
    yield ""
    yield from (f"- {line}" for line in counts(bugs))
    yield from _reproduced(bugs)
    yield from _lassos(bugs)
    for status, heading in HEADINGS.items():
        yield from _unreproduced(bugs, status, heading)
    yield ""
    yield "## The runs to those that must be shown"


def _reproduced(bugs: Iterable[Bug]) -> Iterator[str]:
    yield ""
    yield "## Reproduced"
    yield ""
    headings = ("bug", "rule broken", "mutant", "caught by", "length", "bounds")
    rows = [
        (bug.name, bug.rule, *_search(mutant))
        for bug in bugs
        if bug.status == "reproduced"
        for mutant in bug.mutants
    ]
    yield from markdown_table(headings, rows)
    yield ""
    yield "Where a mutation is more than one function, or not quite what Kafka did:"
    yield ""
    yield from (f"- {bug.name}: {bug.differs}" for bug in bugs if bug.differs)


def _lassos(bugs: Iterable[Bug]) -> Iterator[str]:
    yield ""
    yield "## For ever"
    yield ""
    yield from FOR_EVER.splitlines()
    yield ""
    rows = [
        (bug.name, f"`{known.search}`", f"`{known.claim}`", *_size(known))
        for bug in bugs
        if (known := bug.lasso) is not None
    ]
    headings = ("bug", "search", "claim", "states", "last steps that repeat")
    yield from markdown_table(headings, rows)


def _size(known: KnownLasso) -> tuple[str, str]:
    return str(known.states), str(known.repeats)


def _search(mutant: Mutant) -> tuple[str, ...]:
    bounds = mutant.scenario.bounds.items()
    allowed = ", ".join(f"{key}={value}" for key, value in bounds if value)
    return (
        f"`{mutant.name}`",
        f"`{mutant.violates}`",
        str(mutant.length),
        f"from `{mutant.start}`: {allowed}",
    )


def _unreproduced(bugs: Iterable[Bug], status: str, heading: str) -> Iterator[str]:
    listed = [bug for bug in bugs if bug.status == status]
    if not listed:
        return
    yield ""
    yield f"## {heading}"
    yield ""
    rows = [(bug.name, bug.tier, bug.title, reason_of(bug)) for bug in listed]
    yield from markdown_table(("bug", "tier", "what went wrong", "why"), rows)


def reason_of(bug: Bug) -> str:
    """Why no run shows a bug, in a line."""
    parts = [f"`{mutant.name}`: {mutant.argument}" for mutant in bug.mutants]
    return " ".join((bug.reason or " ".join(parts)).split())


def _run_section(bug: Bug, trial: MutantTrial) -> Iterator[str]:
    yield ""
    yield f"### {bug.name}: {bug.title}"
    yield ""
    yield f"Rule: {bug.rule}. Instead: {bug.instead}. Fixed in {bug.fixed_in}."
    title = f"{trial.length} states to {trial.caught_by}"
    yield from folded_text(title, run_text_of(trial))


def run_text_of(trial: MutantTrial) -> str:
    """The shortest run that a trial found, as lines."""
    task = trial.result.task
    lines: list[str] = []
    for violation in trial.result.report.violations:
        lines += _setup(task.scenario.setup)
        lines += step_lines(violation.trace, task.system.describer)
        lines += ["", _violation_line(violation)]
    return "\n".join(lines)


def _setup(steps: Sequence[str]) -> Iterator[str]:
    if steps:
        yield "begins after"
        yield from (f"      {step}" for step in steps)


def _violation_line(violation: Violation[Any]) -> str:
    return f"breaks {violation.instance}"
