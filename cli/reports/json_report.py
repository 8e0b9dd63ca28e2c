"""The results of a run as one JSON document."""

from __future__ import annotations

import json
from typing import Any

import attrs

from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import (
    Assessment,
    Group,
    RunSummary,
    groups,
    other_key,
)
from replicheck.cli.version import VERSION
from replicheck.explorer.statistics import Statistics, is_known
from replicheck.traces.value_json import entries

SCHEMA = 1


def document(summary: RunSummary) -> str:
    """The JSON document; keys are added in time, and none is taken away.

    ``docs/report.schema.json`` describes it.
    """
    whole = {
        "schema": SCHEMA,
        "replicheck": VERSION,
        "exit_code": int(summary.code),
        "results": [_entry(assessment) for assessment in summary.assessments],
        "violations": [_group(group) for group in groups(summary.results)],
    }
    return json.dumps(whole, indent=2, default=str) + "\n"


def _entry(assessment: Assessment) -> dict[str, Any]:
    result = assessment.result
    report, scenario = result.report, result.task.scenario
    return {
        "scenario": scenario.name,
        "protocol": scenario.protocol,
        "reductions": list(scenario.reductions),
        "bounds": dict(scenario.bounds),
        "initial": scenario.initial,
        "engine": result.task.engine,
        "verdict": report.verdict.value,
        "states": report.states,
        "generated": report.generated,
        "depth": report.depth,
        "violations": [
            _violation(result, violation) for violation in report.violations
        ],
        "actions": {
            name: attrs.asdict(count) for name, count in report.actions.items()
        },
        "seconds": round(report.seconds, 3),
        "levels": list(report.levels),
        "outcomes": {name: outcome.value for name, outcome in report.outcomes.items()},
        "witnesses": {
            name: len(report.reached[name].states) if name in report.reached else None
            for name in scenario.witnesses
        },
        "exhausted": result.exhausted,
        "cut": report.cut,
        "unexpanded": result.unexpanded,
        "failure": _failure(result),
        "expected": attrs.asdict(scenario.expect) if scenario.expect else None,
        "as_expected": not assessment.findings,
        "findings": [
            {"code": int(finding.code), "text": finding.text}
            for finding in assessment.findings
        ],
        "command": result.task.command,
        "cached": result.is_cached,
        "together": result.together,
        "vacuous": result.vacuous,
        "coverage": _coverage(result),
        "details": _details(report.statistics),
    }


def _coverage(result: Result) -> dict[str, Any]:
    """Coverage of premises, guards and constraints, as far as it was counted."""
    coverage = result.report.statistics.coverage
    counted = {} if coverage is None else attrs.asdict(coverage, filter=is_known)
    return {**counted, "constraints": dict(result.report.constrained)}


def _details(statistics: Statistics) -> dict[str, Any]:
    """The statistics without key of their own, those of the engine not nested."""
    common = attrs.asdict(statistics, filter=is_known)
    common.pop("coverage", None)
    own = {**common.pop("breadth_first", {}), **common.pop("partitioned", {})}
    return {**own, **common}


def _group(group: Group) -> dict[str, Any]:
    scenario = group.result.task.scenario
    return {
        "property": group.property,
        "action": group.action,
        "count": group.count,
        "scenario": scenario.name,
        "protocol": scenario.protocol,
        "states": len(group.shortest.trace.states),
        "file": _group_file(group),
    }


def _group_file(group: Group) -> str | None:
    if group.shortest in group.result.report.others:
        return _file(group.result, other_key(group.shortest))
    return _file(group.result, group.property)


def _violation(result: Result, violation: Any) -> dict[str, Any]:
    return {
        "property": violation.property,
        "kind": violation.kind.value,
        "instance": violation.instance,
        "states": len(violation.trace.states),
        "loop": violation.loop,
        "trace": list(entries(violation.trace)),
        "file": _file(result, violation.property),
    }


def _failure(result: Result) -> dict[str, Any] | None:
    failure = result.report.failure
    if failure is None:
        return {"message": result.problem} if result.problem else None
    return {
        "function": failure.function,
        "message": failure.message,
        "states": len(failure.trace.states),
        "trace": list(entries(failure.trace)),
        "file": _file(result, failure.function),
    }


def _file(result: Result, name: str) -> str | None:
    return str(result.files[name]) if name in result.files else None
