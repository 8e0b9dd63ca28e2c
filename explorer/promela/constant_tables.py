"""Constant tables of a Promela model: declaration, content, what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from replicheck.explorer.native.kernels.arrays import UNKNOWN
from replicheck.explorer.promela.identifiers import Identifiers, Table
from replicheck.explorer.promela.text import comment, number_type, wrapped
from replicheck.explorer.promela.tree_values import answers
from replicheck.explorer.tables.dictionary import Dictionary

C_TYPES = {"byte": "unsigned char", "short": "short", "int": "int"}
PART = 8192
"""Numbers in one piece of C, of which Spin takes 64 kB."""
BATCH = 100
"""Statements in one piece of C."""
FILL = "FILL_TABLES"
"""The macro that puts the content into the tables."""


@frozen
class ConstantTable:
    """The content of one table."""

    name: str
    numbers: Sequence[int]
    meaning: str = ""

    @property
    def parts(self) -> Iterator[tuple[str, int, Sequence[int]]]:
        """Yield the content in parts: name, place of the first number, numbers."""
        for start in range(0, len(self.numbers), PART):
            part = self.numbers[start : start + PART]
            yield f"{self.name}__from_{start}", start, part


def arrays(identifiers: Identifiers) -> Iterator[ConstantTable]:
    """Yield all tables."""
    for table in identifiers.asked.values():
        meaning = f"{table.lookup.dictionary.name}{table.lookup}{_meaning(table)}"
        yield ConstantTable(table.name, table.numbers, meaning)
    for chosen in identifiers.sets.values():
        members = set(chosen.members)
        yield ConstantTable(
            chosen.name,
            [int(number in members) for number in range(len(chosen.domain))],
        )


def declaration(array: ConstantTable) -> Iterator[str]:
    """Yield a table and, in C, its content.

    As an initialiser in Promela, each number would become a statement of one function
    in C, which takes a compiler minutes.
    """
    kind = number_type(max(array.numbers))
    if array.meaning:
        yield from comment(array.meaning)
    yield f"hidden {kind} {array.name}[{len(array.numbers)}];"
    for name, _, numbers in array.parts:
        content = ", ".join(map(str, numbers))
        yield from wrapped(
            f"c_decl {{ static const {C_TYPES[kind]} {name}[] = {{ {content} }}; }}"
        )


def filling(all_arrays: Sequence[ConstantTable]) -> Iterator[str]:
    """Yield C functions that put the content into the tables, and a macro to call."""
    statements = [
        f"memcpy({array.name} + {start}, {name}, sizeof {name});"
        for array in all_arrays
        for name, start, _ in array.parts
    ]
    calls = []
    for number, low in enumerate(range(0, len(statements), BATCH)):
        calls.append(f"fill_tables_{number}();")
        yield f"c_code {{ static void fill_tables_{number}(void) {{"
        yield from (f"  {statement}" for statement in statements[low : low + BATCH])
        yield "} }"
    yield f"#define {FILL} c_code {{ {' '.join(calls)} }}"


def _meaning(table: Table) -> str:
    if table.lookup.is_operation:
        return ""
    given = table.lookup.answers
    told = [
        f"{table.codes[number]} = {answer!r}" for number, answer in enumerate(given)
    ]
    if UNKNOWN in answers(table.lookup):
        told.append(f"{table.unasked} = never asked")
    return f": {', '.join(told)}"


def legend(domain: Dictionary) -> Iterator[str]:
    """Yield a comment with the meaning of every number of a domain's values."""
    width = len(str(len(domain)))
    yield from comment(
        f"The values of {domain.name}",
        *(f"{number:{width}}  {value!r}" for number, value in enumerate(domain.values)),
    )
