"""Other last steps of a violation: a level may break a property in several ways.

A search reports one run to the violation of a property. Other states of the same level
may break it as well; of those, one run is kept for each other action that led there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from replicheck.explorer.arrays import BROKEN_STEP, NOTHING_NOTED
from replicheck.explorer.expansion import Expansion
from replicheck.explorer.findings import Findings, Here
from replicheck.explorer.guards import told_places
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Violation

MOST = 1 << 18
"""So many states of a level are looked at, those with the least fingerprints."""


def by_other_steps(
    findings: Findings[Any], rows: Any, here: Here, names: Iterable[str]
) -> Iterator[Violation[Any]]:
    """Yield a violation for each other action that led to a state of the level.

    Args:
        rows: the level.
        names: the invariants that the level is the first to break.
    """
    for claim in _of_kind(findings, Kind.ALWAYS, names):
        seen = {_last_action(findings.violations[claim.name])}
        for place in told_places(findings.learner, claim, rows[:MOST]):
            action = here.path.last_action(findings.learner, here.level, place)
            if action not in seen:
                seen.add(action)
                trace = here.path.trace(findings.learner, here.level, place)
                yield findings.violation(claim, trace)


def of_other_actions(
    findings: Findings[Any], expansion: Expansion, here: Here, names: Iterable[str]
) -> Iterator[Violation[Any]]:
    """Yield a violation for each other action of which a step breaks a step property.

    Args:
        names: the step properties that the level is the first to break.
    """
    learner = findings.learner
    for claim in _of_kind(findings, Kind.STEP, names):
        seen = {_last_action(findings.violations[claim.name])}
        notes = expansion.notes[BROKEN_STEP + learner.step_properties.index(claim)]
        for number in np.argsort(notes, kind="stable").tolist():
            action = learner.functions[number].instance.name
            if notes[number] != NOTHING_NOTED and action not in seen:
                seen.add(action)
                place = here.place_of(int(notes[number]))
                trace = here.path.trace(learner, here.level, place)
                yield findings.violation_by_step(claim, number, trace)


def _of_kind(
    findings: Findings[Any], kind: Kind, names: Iterable[str]
) -> list[Property]:
    wanted = set(names)
    return [
        each
        for each in findings.properties
        if each.kind is kind and each.name in wanted
    ]


def _last_action(violation: Violation[Any]) -> str | None:
    steps = violation.trace.steps
    return steps[-1].action if steps else None
