"""A table of a configuration as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from replicheck.cli.advice.configuration import (
    DIRECTORIES,
    QUESTIONS,
    FaultSet,
    fault_sets,
    set_text,
)
from replicheck.cli.advice.table import AdviceTable, Answer

HEADINGS = {
    "lost": "record lost",
    "writes": "writes stop",
    "reads": "reads stop",
}
CLAIMS = {
    "lost": "lose an acknowledged record",
    "writes": "stop writes",
    "reads": "stop reads",
}
FAULTS_COLUMN, CELL_COLUMN = 34, 14

NOTES = (
    "run N: these faults can, and a shortest run to it has N states; less: fewer of"
    " them can; no: they cannot, as all states were visited; cut: not known, as a"
    " limit ended the search.",
    "Record lost: no good disk has an acknowledged record, or a leader lacks it."
    " Writes, reads stop: for good, with nothing left to do but further faults; what"
    " an election mends does not count.",
    "Faults: a broker's process crashes (crash); a log directory fails (disk); a"
    " broker's session expires while it runs on (session); /controller is deleted"
    " (controller). No broker starts again, and no disk is replaced. That followers"
    " lag is no fault: min.insync.replicas stay in the ISR.",
    "Covers Kafka 2.5.1 with ZooKeeper, in the model `cluster`: one partition, one"
    f" record, acks=all, {DIRECTORIES} log directories on each broker, no broker"
    " without a replica. Not covered: restarts, records that were not flushed, a"
    " network that splits, ZooKeeper's own failures, KRaft.",
)


def table_lines(table: AdviceTable, width: int) -> Iterator[str]:
    """Yield the lines of a table, for so many columns."""
    yield str(table.configuration)
    yield ""
    yield from _summary(table, width)
    yield ""
    narrow = width < FAULTS_COLUMN + CELL_COLUMN * len(QUESTIONS)
    yield from (_narrow_rows if narrow else _rows)(table)
    yield ""
    for note in NOTES:
        yield from _wrapped(note, width)


def _summary(table: AdviceTable, width: int) -> Iterator[str]:
    """Yield for each question the minimal sets of faults."""
    for question in QUESTIONS:
        sets = [set_text(faults) for faults in table.minimal(question)]
        is_cut = any(asked == question for _, asked in table.cut())
        found = "; ".join(sets) or "no set of faults was found"
        unknown = " (others are not known)" if is_cut else ""
        text = f"Can {CLAIMS[question]}: {found}{unknown}"
        yield from _wrapped(text, width)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(
        text,
        width,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _rows(table: AdviceTable) -> Iterator[str]:
    yield _line("faults", HEADINGS.values())
    for faults in fault_sets():
        cells = (_cell(table, faults, question) for question in QUESTIONS)
        yield _line(set_text(faults), cells)


def _line(first: str, cells: Iterable[str]) -> str:
    columns = "".join(f"{text:{CELL_COLUMN}}" for text in cells)
    return f"{first:{FAULTS_COLUMN}}{columns}".rstrip()


def _narrow_rows(table: AdviceTable) -> Iterator[str]:
    for faults in fault_sets():
        yield set_text(faults)
        for question in QUESTIONS:
            yield f"    {HEADINGS[question]}: {_cell(table, faults, question)}"


def _cell(table: AdviceTable, faults: FaultSet, question: str) -> str:
    """The text of a cell."""
    cell = table.cell(faults, question)
    if cell.answer is Answer.CAN:
        return "less" if cell.faults != faults else f"run {len(cell.steps) + 1}"
    return "no" if cell.answer is Answer.CANNOT else "cut"
