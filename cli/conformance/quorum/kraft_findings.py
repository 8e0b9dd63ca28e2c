"""Findings of `kraft`, executed on Kafka's controller and brokers to the loss."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.findings import (
    FindingRun,
    Harm,
    Record,
    read_findings,
)
from replicheck.cli.conformance.quorum.kraft_lockstep import KraftLockstep
from replicheck.explorer.interpreter.stepper import Stepper

LISTED = Path(__file__).with_name("kraft_findings.toml")
PARTITION = 0
"""The one partition that `kraft` has."""


def kraft_findings() -> tuple[FindingRun, ...]:
    """Runs of all findings of `kraft`."""
    return read_findings(LISTED)


def execute(lockstep: KraftLockstep, model: Any, finding: FindingRun) -> Harm:
    """Take the run of a finding, and look at what is left of its records.

    Raises:
        HarnessError: if Kafka does not take a step.
        CannotTake: if the model does not.
    """
    trace = Stepper(model).take(finding.steps)
    found = [*lockstep.begin(trace.start).unexplained]
    before = trace.start
    for step in trace.steps:
        taken = ModelStep(step.action, dict(step.arguments), before, step.state)
        found += lockstep.take(taken).unexplained
        before = step.state
    acknowledged = _records(lockstep.state["acknowledged"])
    logs = {b: _log(lockstep.state, b) for b in before.bounds.broker_ids}
    return Harm(acknowledged, frozenset(), logs, tuple(found))


def _log(state: Mapping[str, Any], broker: int) -> frozenset[Record]:
    """What the log of a broker has, which is told of brokers that run and host it."""
    hosted = state["brokers"][f"broker {broker}"].get("partition")
    log = hosted.get("log") if isinstance(hosted, Mapping) else None
    return _records([record for record, _ in log] if isinstance(log, list) else [])


def _records(ids: list[int]) -> frozenset[Record]:
    return frozenset((PARTITION, record) for record in ids)
