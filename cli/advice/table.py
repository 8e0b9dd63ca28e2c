"""Tables of a configuration: for each set of faults, what it can bring about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from attrs import field, frozen

from replicheck.cli.advice.configuration import (
    QUESTIONS,
    Configuration,
    FaultSet,
    fault_sets,
    is_within,
)

Steps = tuple[str, ...]
"""Labels of the steps of a run."""


class Answer(Enum):
    """Whether faults can bring something about."""

    CAN = "can"
    CANNOT = "cannot"
    """All states were visited."""
    CUT = "cut"
    """A limit ended the search before; no run was found."""


@frozen
class Row:
    """What one search found: ``runs`` has the steps of a shortest run by question.

    It was about the questions in ``asked``; ``is_complete`` says that it visited all
    ``states``, or decided every question before.
    """

    faults: FaultSet
    asked: tuple[str, ...]
    states: int
    is_complete: bool
    runs: Mapping[str, Steps]


@frozen
class Cell:
    """The answer to a question for a set of faults.

    ``faults`` are fewer than those of the row where these already can; ``states`` is
    the number of states that were visited.
    """

    answer: Answer
    faults: FaultSet
    states: int
    steps: Steps = ()


@frozen
class AdviceTable:
    """The rows of a configuration; what is contained in another has no row."""

    configuration: Configuration
    rows: Mapping[FaultSet, Row] = field(factory=dict)

    def cell(self, faults: FaultSet, question: str) -> Cell:
        """The answer to a question for a set of faults."""
        for smaller in fault_sets():
            row = self.rows.get(smaller)
            if row and question in row.runs and is_within(smaller, faults):
                return Cell(Answer.CAN, smaller, row.states, row.runs[question])
        row = self.rows.get(faults)
        if row is None or question not in row.asked:
            return Cell(Answer.CUT, faults, 0)
        answer = Answer.CANNOT if row.is_complete else Answer.CUT
        return Cell(answer, faults, row.states)

    def minimal(self, question: str) -> list[FaultSet]:
        """The sets of faults that can, and of which no part was found to."""
        return [faults for faults, row in self.rows.items() if question in row.runs]

    def cut(self) -> Iterator[tuple[FaultSet, str]]:
        """Yield the cells whose answer is not known."""
        for faults in fault_sets():
            for question in QUESTIONS:
                if self.cell(faults, question).answer is Answer.CUT:
                    yield faults, question


SearchRow = Callable[[FaultSet, tuple[str, ...]], Row | None]
"""The row of a set of faults for the questions; None if the user ends the searches."""


def computed_table(configuration: Configuration, search: SearchRow) -> AdviceTable:
    """The table by one search for each set of faults, few faults first.

    A run with few faults is one with more. So a question that a part of the set answers
    is not asked again.
    """
    table = AdviceTable(configuration)
    for faults in fault_sets():
        asked = tuple(
            question
            for question in QUESTIONS
            if table.cell(faults, question).answer is not Answer.CAN
        )
        if not asked:
            continue
        row = search(faults, asked)
        if row is None:
            break
        table = AdviceTable(configuration, {**table.rows, faults: row})
    return table
