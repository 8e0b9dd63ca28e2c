"""Reports as JSON and back again, without loss: nothing in such a file is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict

from replicheck.explorer.properties import Kind
from replicheck.explorer.report import (
    ActionCount,
    Outcome,
    Report,
    Trace,
    Verdict,
    Violation,
)
from replicheck.traces.json_lines import entries, trace_of


def as_json(report: Report[Any]) -> dict[str, Any]:
    """Return a report that has no failure as JSON can hold it.

    Raises:
        EncodingError: if a state holds a value without JSON form.
    """
    details = {**report.details}
    others = details.pop("others", ())
    return {
        "model": report.model,
        "verdict": report.verdict.value,
        "levels": [int(each) for each in report.levels],
        "actions": {name: asdict(count) for name, count in report.actions.items()},
        "outcomes": {name: each.value for name, each in report.outcomes.items()},
        "violations": [_violation(each) for each in report.violations],
        "reached": {name: _trace(each) for name, each in report.reached.items()},
        "cut": report.cut,
        "constrained": dict(report.constrained),
        "engine": report.engine,
        "seconds": report.seconds,
        "details": details,
        "others": [_violation(each) for each in others],
    }


def of_json(body: Mapping[str, Any]) -> Report[Any]:
    """Return the report that `as_json` gave this form.

    Raises:
        Exception: of any kind, if it is no such form or is of other models.
    """
    others = tuple(_violation_of(each) for each in body["others"])
    return Report(
        model=body["model"],
        verdict=Verdict(body["verdict"]),
        levels=tuple(body["levels"]),
        actions={k: ActionCount(**each) for k, each in body["actions"].items()},
        outcomes={k: Outcome(each) for k, each in body["outcomes"].items()},
        violations=tuple(_violation_of(each) for each in body["violations"]),
        reached={name: trace_of(each) for name, each in body["reached"].items()},
        cut=body["cut"],
        constrained=body["constrained"],
        engine=body["engine"],
        seconds=body["seconds"],
        details={**body["details"], "others": others},
    )


def _violation(violation: Violation[Any]) -> dict[str, Any]:
    return {
        "property": violation.property,
        "kind": violation.kind.value,
        "clause": violation.clause,
        "trace": _trace(violation.trace),
    }


def _violation_of(body: Mapping[str, Any]) -> Violation[Any]:
    trace, kind = trace_of(body["trace"]), Kind(body["kind"])
    return Violation(body["property"], kind, body["clause"], trace)


def _trace(trace: Trace[Any]) -> list[dict[str, Any]]:
    return list(entries(trace))
