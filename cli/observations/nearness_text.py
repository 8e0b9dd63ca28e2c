"""How near a run came to a violation, as text."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.observations.validation import Validation
from replicheck.explorer.engines.trace_validation.nearness import (
    Nearness,
    NearViolation,
)


def nearness_lines(found: Validation, nearness: Nearness) -> Iterator[str]:
    """The nearest violations, and what was searched for the properties without one."""
    yield (
        f"  up to {_steps(nearness.searched)} of the model, within the bounds, were"
        f" searched from each of the {nearness.starts} states of the run:"
        f" {nearness.states:,} states"
    )
    if not nearness.is_all and nearness.searched < nearness.asked:
        yield f"    a limit ended that search before {_steps(nearness.asked)}"
    for near in sorted(nearness.violations, key=lambda near: near.steps):
        yield from _violation_lines(near)
    left = len(found.judged) - len(found.broken) - len(nearness.violations)
    left -= len(found.out_of_reach)
    reach = (
        "no further step leads to"
        if nearness.is_all
        else f"no state of the run is within {_steps(nearness.searched)} of"
    )
    yield f"    {reach} a violation of the {left} other properties"
    if found.out_of_reach:
        names = ", ".join(found.out_of_reach)
        yield f"    {len(found.out_of_reach)} say nothing within the bounds: {names}"


def _violation_lines(near: NearViolation) -> Iterator[str]:
    violation = near.violation
    yield (
        f"    {_steps(near.steps)} from state {near.state}: {violation.property}"
        f" would break: {violation.instance}"
    )
    for step in violation.trace.steps:
        yield f"      {step.label}"


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"
