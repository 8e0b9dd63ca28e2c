"""Elections of the model and of Kafka's own algorithms, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from attrs import field, frozen

from replicheck.cli.conformance.differences import Difference, differences
from replicheck.cli.conformance.elections.election_questions import (
    ElectionQuestion,
    questions,
)
from replicheck.cli.conformance.elections.model_elections import (
    ModelElections,
    states_before,
)
from replicheck.cli.conformance.harness.process import Command, HarnessProcess
from replicheck.model.protocol import Protocol

BATCH = 1_000
"""So many questions go to the harness at once."""
NONE_ELECTED: dict[str, Any] = {}


@frozen
class ElectionDifference:
    """A question that model and Kafka answer differently, with the different cells."""

    question: ElectionQuestion
    cells: tuple[Difference, ...]


@frozen
class ElectionReport:
    """What came of all questions within a number of brokers."""

    asked: Counter[str]
    """Questions by the name of their strategy."""
    elected: Counter[str]
    """Questions in which Kafka elects a leader, by the name of their strategy."""
    different: int = 0
    first: ElectionDifference | None = None
    states: tuple[Difference, ...] = field(default=())
    """Replica states that may be entered from others in Kafka."""

    @property
    def is_same(self) -> bool:
        """Tell whether nothing differs."""
        return not self.different and not self.states


def compare(
    process: HarnessProcess, protocol: Protocol, brokers: int
) -> ElectionReport:
    """Ask model and Kafka every question, and for the transitions of replica states.

    Raises:
        HarnessError: if Kafka does not take a question.
    """
    model = ModelElections.of(protocol, brokers)
    asked: Counter[str] = Counter()
    elected: Counter[str] = Counter()
    different, first = 0, None
    for question, kafka in _answered(process, brokers):
        asked[question.strategy.name] += 1
        elected[question.strategy.name] += kafka is not None
        found = model.answer(question)
        if found != kafka:
            different += 1
            cells = differences(found or NONE_ELECTED, kafka or NONE_ELECTED)
            first = first or ElectionDifference(question, tuple(cells))
    kafka_states = process.ask(Command("replica_states"))["states"]
    states = tuple(differences(states_before(), kafka_states))
    return ElectionReport(asked, elected, different, first, states)


def _answered(
    process: HarnessProcess, brokers: int
) -> Iterator[tuple[ElectionQuestion, dict[str, Any] | None]]:
    left = questions(brokers)
    while batch := tuple(islice(left, BATCH)):
        forms = [question.form() for question in batch]
        told = process.ask(Command("elections", {"questions": forms}))
        yield from zip(batch, told["answers"], strict=True)


def election_lines(found: ElectionReport, protocol: str, kafka: str) -> Iterator[str]:
    """Lines for the elections: how many were asked for, and the first that differs."""
    total = found.asked.total()
    yield ""
    yield f"elections of cluster, {protocol}, on Kafka {kafka}: {total:,} questions"
    for strategy, count in sorted(found.asked.items()):
        yield f"{count:8,}  {strategy}, {found.elected[strategy]:,} with a leader"
    if found.is_same:
        yield "the same in all, and in the states of replicas"
    if found.first is not None:
        yield f"DIFFERS in {found.different:,} questions, at first in:"
        yield f"      {found.first.question}"
        yield from (f"      {cell}" for cell in found.first.cells)
    if found.states:
        yield "DIFFERS in the states from which a replica may enter one:"
        yield from (f"      {cell}" for cell in found.states)


def elections_document(found: ElectionReport) -> dict[str, Any]:
    """The elections as JSON."""
    first = found.first
    return {
        "asked": dict(sorted(found.asked.items())),
        "elected": dict(sorted(found.elected.items())),
        "different": found.different,
        "first": None
        if first is None
        else {**first.question.form(), "cells": [str(cell) for cell in first.cells]},
        "states": [str(cell) for cell in found.states],
    }
