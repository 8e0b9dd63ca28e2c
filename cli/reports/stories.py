"""The stories of a result, for all reports that have them as text."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.results.result import Result
from replicheck.traces.story import tell, tell_failure


def stories(result: Result) -> Iterator[tuple[str, str]]:
    """Yield for each trace what it is a trace of, and its story."""
    describer = result.task.system.describer
    for violation in result.report.violations:
        yield (
            violation.property,
            tell(violation, result.task.sentence(violation.property), describer),
        )
    failure = result.report.failure
    if failure is not None:
        yield failure.function, tell_failure(failure, describer)
