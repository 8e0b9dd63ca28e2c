"""Findings, executed on Kafka's own classes to the harm that a user sees."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cattrs
from attrs import field, frozen

from replicheck.cli.conformance.differences import Difference
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.lockstep import Lockstep
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Step

LISTED = Path(__file__).with_name("findings.toml")
CONSUME = re.compile(r"consume\(leader=(?P<leader>\d+), partition=(?P<partition>\d+)\)")
Record = tuple[int, int]
"""A partition, and the id of a record of it."""


@frozen
class FindingRun:
    """Run of a finding in some versions, by the labels of its steps."""

    name: str
    title: str
    versions: tuple[str, ...]
    steps: tuple[str, ...]
    bounds: Mapping[str, int] = field(factory=dict)


@frozen
class Harm:
    """What became of records on Kafka's own classes, and cells that differ.

    ``logs`` are the ids in each running broker's log at the end, by broker.
    """

    acknowledged: frozenset[Record]
    consumed: frozenset[Record]
    logs: Mapping[int, frozenset[Record]]
    differences: tuple[Difference, ...] = ()

    @property
    def lost(self) -> frozenset[Record]:
        """Records that were acknowledged and are in no log any more."""
        kept: frozenset[Record] = frozenset().union(*self.logs.values())
        return self.acknowledged - kept


def findings() -> tuple[FindingRun, ...]:
    """Runs of all findings."""
    listed = tomllib.loads(LISTED.read_text("utf-8"))
    return tuple(cattrs.structure(table, FindingRun) for table in listed["finding"])


def execute(lockstep: Lockstep, model: Any, finding: FindingRun) -> Harm:
    """Take the run of a finding, and look at what is left of its records.

    Raises:
        HarnessError: if Kafka does not take a step.
        CannotTake: if the model does not.
    """
    stepper = Stepper(model)
    before = stepper.start
    found = [*lockstep.begin(before).unexplained]
    consumed: set[Record] = set()
    for label in finding.steps:
        reads = CONSUME.fullmatch(label)
        if reads is not None:
            partition = int(reads["partition"])
            arguments = {**_numbers(reads), "offset": 0}
            state = lockstep.process.take([Command("consume", arguments)])
            lockstep.answers.consumed = state["consumed"]
            consumed |= {(partition, record) for record in state["consumed"]}
            continue
        for step in _steps(stepper, before, label):
            taken = ModelStep(step.action, dict(step.arguments), before, step.state)
            found += lockstep.take(taken).unexplained
            before = step.state
    acknowledged = frozenset((p, r) for p, r in lockstep.state["acknowledged"])
    logs = dict(_logs(lockstep.state))
    return Harm(acknowledged, frozenset(consumed), logs, tuple(found))


def _steps(stepper: Stepper, before: Any, label: str) -> Iterator[Step[Any]]:
    """Yield a step and, if the version has it, the end of a request that it leaves."""
    (step,) = stepper.take([label], before).steps
    yield step
    if step.action == "replace_fetcher":
        broker = step.arguments["broker"]
        yield from stepper.steps_of(f"clear_failure(broker={broker})", step.state)


def _numbers(match: re.Match[str]) -> dict[str, int]:
    return {name: int(text) for name, text in match.groupdict().items()}


def _logs(state: Mapping[str, Any]) -> Iterator[tuple[int, frozenset[Record]]]:
    for number, broker in enumerate(state["brokers"]):
        if broker["running"]:
            yield (
                number,
                frozenset(
                    (partition, record)
                    for partition, hosted in enumerate(broker["partitions"])
                    for _, record, _ in hosted.get("log", {}).get("records", ())
                ),
            )
