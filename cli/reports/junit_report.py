"""JUnit XML, as servers of continuous integration read it.

A search that was cut is never a passed test: it is an error, or skipped where the
suite or the user accepts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from junitparser.junitparser import FinalResult

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.reports.counterexamples import counterexamples
from replicheck.cli.results.run_summary import Assessment, RunSummary
from replicheck.explorer.report import Verdict

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""
BROKEN = (ExitCode.MODEL_ERROR, ExitCode.INCOMPLETE)
"""Codes of results that say nothing about the protocol: errors, not failures."""


def junit(summary: RunSummary) -> str:
    """A document with a test case for each result."""
    suite = TestSuite("replicheck")
    for assessment in summary.assessments:
        suite.add_testcase(_case(assessment))
    suite.update_statistics()
    suite.time = round(suite.time, 3)
    whole = JUnitXml("replicheck")
    whole.add_testsuite(suite)
    # Not `update_statistics`, which adds `skipped`: in the schema of Jenkins a suite
    # has that, but the document has not.
    whole.tests, whole.time = suite.tests, suite.time
    whole.failures, whole.errors = suite.failures, suite.errors
    return bytes(whole.tostring()).decode() + "\n"


def _case(assessment: Assessment) -> TestCase:
    result = assessment.result
    case = TestCase(
        name=_legal(result.task.title),
        classname=_legal(f"replicheck.{result.task.scenario.model}"),
        time=round(result.report.seconds, 3),
    )
    mark = _mark(assessment)
    if mark is not None:
        case.result = [mark]
    case.system_out = _legal("\n".join(_output(assessment)))
    return case


def _mark(assessment: Assessment) -> FinalResult | None:
    result = assessment.result
    if assessment.failures:
        kind = Error if assessment.code in BROKEN else Failure
        text = "; ".join(finding.text for finding in assessment.failures)
        mark = kind(_legal(text), assessment.code.name.lower().replace("_", "-"))
        mark.text = _legal("\n\n".join(text for _, text in counterexamples(result)))
        return mark
    if result.report.verdict is Verdict.INCOMPLETE:
        return Skipped(_legal(f"incomplete: {assessment.coverage}"))
    return None


def _output(assessment: Assessment) -> Iterator[str]:
    result = assessment.result
    yield f"{result.report.verdict.value}: {assessment.coverage}"
    yield from assessment.notes
    yield f"reproduce: {result.task.command}"


def _legal(text: str) -> str:
    return ILLEGAL.sub("�", text)
