"""Results of earlier runs, by the content of all that decided them.

A search is known again by the source text of models, properties and engines, by the
versions of replicheck and Python, and by all that the scenario says of it. So nothing
in the cache is ever out of date; what was used longest ago is deleted when there is too
much. A file is JSON and can run nothing; but what it says is believed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from replicheck.cli.tasks import source_digest
from replicheck.cli.tasks.task import Task
from replicheck.cli.version import VERSION
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import (
    ActionCount,
    Failure,
    Outcome,
    Report,
    Trace,
    Verdict,
    Violation,
)
from replicheck.explorer.runtime.atomic_files import store
from replicheck.explorer.runtime.digest import digest
from replicheck.explorer.runtime.sealed_json import SealedJson
from replicheck.explorer.statistics import Statistics
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import Classes, EncodingError, entries, trace_of

FOLDER = Path(".replicheck-cache")
"""Where results are cached, under the current directory."""
SEAL = SealedJson("cached result", schema=4)
MOST_FILES, MOST_BYTES = 1_000, 100_000_000
"""More is not kept."""
REPEATABLE = (None, "states", "depth")
"""What may have cut a search that ends in the same way each time."""


@frozen
class ResultCache:
    """The results in a folder."""

    folder: Path = FOLDER

    def find(self, task: Task) -> Report[Any] | None:
        """The report of an equal search; None if there is none to be read.

        None, too, if the search is to be done: to compare all, or to write its states.
        """
        if task.settings.paranoid or task.settings.states is not None:
            return None
        try:
            path = self.folder / key(task)
            classes = value_classes(task.system.state, task.system.mentioned)
            report = report_of_json(SEAL.open(path)["report"], classes)
            path.touch()
        except Exception:
            # A damaged file costs no more than another search.
            return None
        return report

    def keep(self, task: Task, report: Report[Any]) -> None:
        """Keep a report, if the same search always ends in the same way.

        A full disk must not cost the result.
        """
        if report.verdict is Verdict.ERROR or report.cut not in REPEATABLE:
            return
        with suppress(OSError, EncodingError):
            body = {"search": task.title, "report": report_as_json(report)}
            self.folder.mkdir(parents=True, exist_ok=True)
            store(self.folder, key(task), SEAL.close(body))
            self._forget()

    def _forget(self) -> None:
        """Delete the results used longest ago that are too many or too large."""
        found = [(path, path.stat()) for path in self.folder.iterdir()]
        found.sort(key=lambda item: item[1].st_mtime, reverse=True)
        size = 0
        for number, (path, known) in enumerate(found, start=1):
            size += known.st_size
            if number > 1 and (number > MOST_FILES or size > MOST_BYTES):
                path.unlink(missing_ok=True)


class NoCache(ResultCache):
    """Finds nothing and keeps nothing."""

    def find(self, task: Task) -> Report[Any] | None:
        """None: nothing is cached."""
        return None

    def keep(self, task: Task, report: Report[Any]) -> None:
        """Keep nothing."""


def key(task: Task) -> str:
    """Digest of all that decides the report of a search."""
    scenario = task.scenario
    whole = {
        "content": [source_digest.of_search_code(), task.system.digest],
        "replicheck": VERSION,
        "python": sys.version,
        "model": scenario.model,
        "protocol": scenario.protocol,
        "reductions": scenario.reductions,
        "bounds": dict(scenario.bounds),
        "start": [scenario.initial, scenario.setup],
        "properties": [scenario.invariants, scenario.steps, scenario.witnesses],
        "runs": [task.judges_runs, scenario.liveness],
        "stop": scenario.stop,
        "limits": [scenario.limits.states, scenario.limits.depth],
        "engine": task.engine,
        "counting": task.settings.counting.value,
        "reduce_beyond": task.settings.reduce_beyond,
        "fingerprints": task.settings.fingerprints,
    }
    text = json.dumps(whole, sort_keys=True)
    return digest(text.encode())


def report_as_json(report: Report[Any]) -> dict[str, Any]:
    """A report that has no failure as JSON can hold it.

    Raises:
        EncodingError: if a state holds a value without JSON form.
    """
    return {
        "model": report.model,
        "verdict": report.verdict.value,
        "levels": [int(count) for count in report.levels],
        "actions": {name: asdict(count) for name, count in report.actions.items()},
        "outcomes": {name: outcome.value for name, outcome in report.outcomes.items()},
        "violations": [_violation(violation) for violation in report.violations],
        "reached": {name: _trace(trace) for name, trace in report.reached.items()},
        "failure": _failure(report.failure),
        "cut": report.cut,
        "constrained": dict(report.constrained),
        "engine": report.engine,
        "seconds": report.seconds,
        "others": [_violation(violation) for violation in report.others],
        "statistics": asdict(report.statistics),
    }


def report_of_json(body: Mapping[str, Any], classes: Classes) -> Report[Any]:
    """Report of the form that `report_as_json` gives; ``classes`` are of its values.

    Raises:
        Exception: of any kind, if it is no such form or is of other models.
    """
    # Imported only here: most searches were not done before.
    import cattrs

    return Report(
        model=body["model"],
        verdict=Verdict(body["verdict"]),
        levels=tuple(body["levels"]),
        actions={k: ActionCount(**count) for k, count in body["actions"].items()},
        outcomes={k: Outcome(outcome) for k, outcome in body["outcomes"].items()},
        violations=tuple(_violation_of(entry, classes) for entry in body["violations"]),
        reached={k: trace_of(trace, classes) for k, trace in body["reached"].items()},
        failure=_failure_of(body["failure"], classes),
        cut=body["cut"],
        constrained=body["constrained"],
        engine=body["engine"],
        seconds=body["seconds"],
        others=tuple(_violation_of(entry, classes) for entry in body["others"]),
        statistics=cattrs.structure(body["statistics"], Statistics),
    )


def _violation(violation: Violation[Any]) -> dict[str, Any]:
    return {
        "property": violation.property,
        "kind": violation.kind.value,
        "instance": violation.instance,
        "trace": _trace(violation.trace),
        "loop": violation.loop,
    }


def _violation_of(body: Mapping[str, Any], classes: Classes) -> Violation[Any]:
    trace, kind = trace_of(body["trace"], classes), Kind(body["kind"])
    name, instance, loop = body["property"], body["instance"], body["loop"]
    return Violation(name, kind, instance, trace, loop)


def _failure(failure: Failure[Any] | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "function": failure.function,
        "message": failure.message,
        "trace": _trace(failure.trace),
        "place": failure.place,
    }


def _failure_of(
    body: Mapping[str, Any] | None, classes: Classes
) -> Failure[Any] | None:
    if body is None:
        return None
    trace = trace_of(body["trace"], classes)
    return Failure(body["function"], body["message"], trace, body.get("place", ""))


def _trace(trace: Trace[Any]) -> list[dict[str, Any]]:
    return list(entries(trace))
