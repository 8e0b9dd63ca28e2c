"""A page of a run that needs no other file and no network."""

from __future__ import annotations

from importlib import resources
from typing import Any

import attrs
from jinja2 import Environment, StrictUndefined

from replicheck.cli.reports.counterexamples import counterexamples
from replicheck.cli.results.mutant_results import with_own
from replicheck.cli.results.result import Result
from replicheck.cli.results.rule_coverage import rule_coverage
from replicheck.cli.results.run_summary import Assessment, RunSummary, groups
from replicheck.cli.version import VERSION
from replicheck.explorer.report import Outcome, Verdict

TEMPLATE = "report.html.jinja"
BAR, CHART = 9, 110
"""Width of a bar and height of a chart, in pixels."""


def html(summary: RunSummary) -> str:
    """The page; of several results, those that are as expected are folded and brief."""
    folder = resources.files("replicheck.cli.reports")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.from_string((folder / TEMPLATE).read_text("utf-8"))
    rules = rule_coverage(summary.results)
    return template.render(
        version=VERSION,
        total=summary.total,
        results=[
            {**_content(assessment), "is_whole": _is_whole(assessment, summary)}
            for assessment in summary.assessments
        ],
        groups=groups(summary.results),
        mutants=with_own(summary.mutants, summary.results),
        rules=rules if any(rule.actions for rule in rules) else [],
    )


def _is_whole(assessment: Assessment, summary: RunSummary) -> bool:
    """Tell whether the page has chart, counterexamples, guards, premises of a result.

    The JSON report has them of every result.
    """
    return bool(assessment.failures) or len(summary.assessments) == 1


def _content(assessment: Assessment) -> dict[str, Any]:
    """The variables of the template for a result."""
    result = assessment.result
    return {
        "style": _style(assessment),
        "shown_by": {name: result.show_command(name) for name in result.files},
        "task": result.task,
        "report": result.report,
        "fails": bool(assessment.failures),
        "kind": _kind(assessment),
        "failures": assessment.failures,
        "conclusion": assessment.conclusion,
        "coverage": assessment.coverage,
        "notes": assessment.notes,
        "counterexamples": list(counterexamples(result)),
        "bars": _bars(result.report.levels),
        "chart": CHART,
        "width": max(1, BAR * len(result.report.levels)),
        "actions": _actions(result),
        "sampled": result.guards.sampled,
        "premises": result.coverage.premises,
        "reached": result.with_outcome(Outcome.REACHED),
        "unreached": result.with_outcome(Outcome.UNREACHED),
    }


def _kind(assessment: Assessment) -> str:
    """The class of a result, by which the page is filtered."""
    if assessment.failures:
        return "fails"
    is_violated = assessment.result.report.verdict is Verdict.VIOLATED
    return "known" if is_violated else "passes"


def _style(assessment: Assessment) -> str:
    """The class of a verdict: what is as expected is good."""
    verdict = assessment.result.report.verdict
    if verdict is Verdict.INCOMPLETE or assessment.failures:
        return str(verdict.value)
    return "good"


def _bars(levels: tuple[int, ...]) -> list[dict[str, Any]]:
    """A bar for each depth; its height is in proportion to the states."""
    highest = max(levels, default=1)
    return [
        {
            "x": BAR * number,
            "width": BAR - 1,
            "height": max(1, round(CHART * count / highest)),
            "title": f"depth {number + 1}: {count:,} states",
        }
        for number, count in enumerate(levels)
    ]


def _actions(result: Result) -> list[dict[str, Any]]:
    """Each action with its counts, and its guards, the strictest first."""
    guards = result.guards.actions
    return [
        {
            "name": name,
            "taken": count.generated,
            "enabled": count.enabled,
            "guards": [
                {"name": guard, **attrs.asdict(asked)}
                for guard, asked in sorted(
                    guards.get(name, {}).items(), key=lambda item: -item[1].refused
                )
            ],
        }
        for name, count in result.report.actions.items()
    ]
