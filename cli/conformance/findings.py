"""Findings, executed on Kafka's own classes to the harm that a user sees."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, field, frozen

from replicheck.cli.conformance.differences import Difference
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.lockstep import Lockstep
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Step

LISTED = Path(__file__).with_name("findings.toml")
CONSUME = re.compile(r"consume\(leader=(?P<leader>\d+), partition=(?P<partition>\d+)\)")
ROUNDS = 4
"""So many rounds are taken of steps that lead to the same state."""
Record = tuple[int, int]
"""A partition, and the id of a record of it."""


@frozen
class FindingRun:
    """Run of a finding in some versions, by the labels of its steps.

    ``again`` are steps that lead to the same state for ever.
    """

    name: str
    title: str
    versions: tuple[str, ...]
    steps: tuple[str, ...]
    bounds: Mapping[str, int] = field(factory=dict)
    again: tuple[str, ...] = ()


@frozen
class Harm:
    """What became of records on Kafka's own classes, and cells that differ.

    ``logs`` are the ids in each running broker's log at the end, by broker.
    ``returned`` are records that were read after they had been deleted, and ``rounds``
    is how often a round of steps left the whole state as it was.
    """

    acknowledged: frozenset[Record]
    consumed: frozenset[Record]
    logs: Mapping[int, frozenset[Record]]
    differences: tuple[Difference, ...] = ()
    returned: frozenset[Record] = frozenset()
    rounds: int = 0

    @property
    def is_done(self) -> bool:
        """Tell whether the run came to a harm that a user sees."""
        return bool(self.lost or self.vanished or self.returned or self.rounds)

    @property
    def lost(self) -> frozenset[Record]:
        """Records that were acknowledged and are in no log any more."""
        return self.acknowledged - self._kept

    @property
    def vanished(self) -> frozenset[Record]:
        """Records that a consumer has read and that are in no log any more."""
        return self.consumed - self._kept

    @property
    def _kept(self) -> frozenset[Record]:
        return frozenset().union(*self.logs.values())


def findings() -> tuple[FindingRun, ...]:
    """Runs of all findings."""
    return read_findings(LISTED)


def read_findings(file: Path) -> tuple[FindingRun, ...]:
    """Runs of the findings that a TOML file lists."""
    listed = tomllib.loads(file.read_text("utf-8"))
    return tuple(cattrs.structure(table, FindingRun) for table in listed["finding"])


def execute(lockstep: Lockstep, model: Any, finding: FindingRun) -> Harm:
    """Take the run of a finding, and look at what is left of its records.

    Raises:
        HarnessError: if Kafka does not take a step.
        CannotTake: if the model does not.
    """
    rounds, before = 0, None
    for number in range(ROUNDS if finding.again else 1):
        steps = (*finding.steps, *finding.again * (number + 1))
        harm = _taken(lockstep, model, evolve(finding, steps=steps))
        rounds += before is not None and before == lockstep.state
        before = lockstep.state
    return evolve(harm, rounds=rounds if rounds == ROUNDS - 1 else 0)


def _taken(lockstep: Lockstep, model: Any, finding: FindingRun) -> Harm:
    stepper = Stepper(model)
    before = stepper.start
    found = [*lockstep.begin(before).unexplained]
    consumed: set[Record] = set()
    deleted: set[Record] = set()
    returned: set[Record] = set()
    for label in finding.steps:
        reads = CONSUME.fullmatch(label)
        if reads is not None:
            partition = int(reads["partition"])
            arguments = {**_numbers(reads), "offset": 0}
            state = lockstep.process.take([Command("consume", arguments)])
            lockstep.answers.consumed = state["consumed"]
            read = {(partition, record) for record in state["consumed"]}
            consumed |= read
            returned |= read & deleted
            continue
        for step in _steps(stepper, before, label):
            taken = ModelStep(step.action, dict(step.arguments), before, step.state)
            found += lockstep.take(taken).unexplained
            deleted |= _deleted_by(taken)
            before = step.state
    acknowledged = frozenset((p, r) for p, r in lockstep.state["acknowledged"])
    logs = dict(_logs(lockstep.state))
    differ = tuple(found)
    read_by_all = frozenset(consumed)
    return Harm(acknowledged, read_by_all, logs, differ, frozenset(returned))


def _deleted_by(step: ModelStep) -> set[Record]:
    if step.action != "delete_records":
        return set()
    leader, partition = step.arguments["leader"], step.arguments["partition"]
    log = step.before.logs[leader][partition]
    record = log.record_at(log.start_offset)
    return set() if record is None else {(partition, record.id)}


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
