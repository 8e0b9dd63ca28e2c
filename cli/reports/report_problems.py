"""What keeps the claims of a search from holding, as texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Outcome, Report, Verdict
from replicheck.invariants.catalogue.systems import summary_line
from replicheck.traces.counterexample import Commentary, failure_text, violation_text
from replicheck.traces.run_text import FULL


def problems_of(report: Report[Any], properties: list[Property]) -> Iterator[str]:
    """Yield a text for each thing that keeps the claims from holding."""
    known = {claim.name: claim for claim in properties}
    for violation in report.violations:
        predicate = known[violation.property].predicate
        claim = summary_line(predicate) if predicate else ""
        yield violation_text(violation, Commentary(claim), FULL)
    if report.failure is not None:
        yield failure_text(report.failure, form=FULL)
    if report.verdict is Verdict.INCOMPLETE:
        yield (
            f"incomplete: {_reason(report)} cut the search after {report.states:,}"
            " states; nothing found does not mean that it holds"
        )
    for name, outcome in report.outcomes.items():
        if outcome is Outcome.UNREACHED and known[name].kind is Kind.SOMETIMES:
            yield f"{name}: no state of all {report.states:,} is a witness of it"
    coverage = report.statistics.coverage
    if report.verdict is Verdict.HOLDS and coverage is not None:
        for name, held in coverage.premises.items():
            if not held:
                yield f"{name} is vacuously true: no state fulfils its premise"


def _reason(report: Report[Any]) -> str:
    if report.cut is not None:
        return f"the limit on {report.cut}"
    names = [name for name, count in report.constrained.items() if count]
    return f"constraints ({', '.join(names)})"
