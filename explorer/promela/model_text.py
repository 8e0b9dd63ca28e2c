"""A model in Promela, so that Spin can search the same states by its own means.

Each cell is a variable that holds the number of its value; questions and operations are
constant tables. Each step of an instance is one alternative of one loop::

    :: d_step { condition of the tree -> writes of the leaf }

so one step is one transition, and a state has no parts but the cells. Where a tree has
no leaf, because no state of our search came there, stands an assertion that fails: if
Spin comes there, the two searches differ. A property is an alternative as well, enabled
where it is violated, with an assertion that fails and names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.promela.conditions import MET
from replicheck.explorer.promela.constant_tables import (
    FILL,
    arrays,
    declaration,
    filling,
    legend,
)
from replicheck.explorer.promela.exhaustive_search import ExhaustiveResult
from replicheck.explorer.promela.identifiers import Identifiers
from replicheck.explorer.promela.text import INDENT, comment, number_type, wrapped
from replicheck.explorer.promela.transitions import CUT, JUDGE, UNJUDGED, Transitions
from replicheck.explorer.properties import Kind

LEAST_DEPTH = 10_000
LEAST_HASH_BITS = 16


def promela(
    found: ExhaustiveResult, about: Sequence[str] = (), file: str = "model.pml"
) -> str:
    """The text of a model.

    Args:
        about: lines on where the model comes from.
        file: the name under which the text will be kept.
    """
    return "\n".join(_Document(found).lines(about, file)) + "\n"


def starts_of(learner: Learner) -> list[tuple[int, ...]]:
    """The initial states as numbers of values."""
    return sorted({learner.row(start) for start in learner.starts})


def variables(learner: Learner, identifiers: Identifiers) -> Iterator[str]:
    """Yield the variable of each cell, with what its numbers mean."""
    explained = set()
    for column, domain in enumerate(learner.dictionaries):
        if domain.name not in explained:
            explained.add(domain.name)
            yield ""
            yield from legend(domain)
        yield f"{number_type(len(domain))} {identifiers.cells[column]};"


def beginning(
    starts: Sequence[Sequence[int]], identifiers: Identifiers, last: str = ""
) -> Iterator[str]:
    """Yield the choice of an initial state; ``last`` is done together with it."""
    yield f"{INDENT}if"
    for row in starts:
        yield f"{INDENT}:: d_step {{"
        if identifiers.asked or identifiers.sets:
            yield f"{3 * INDENT}{FILL};"
        writes = [
            f"{cell} = {value}"
            for cell, value in zip(identifiers.cells, row, strict=True)
        ]
        yield from wrapped("; ".join([*writes, *([last] if last else [])]), 3 * INDENT)
        yield f"{2 * INDENT}}}"
    yield f"{INDENT}fi;"


class _Document:
    def __init__(self, found: ExhaustiveResult) -> None:
        self.found = found
        self.identifiers = Identifiers(found.learner.tables)
        self.transitions = Transitions(self.identifiers, found.learner)
        self.starts = starts_of(found.learner)
        self.forbids_deadlocks = any(
            claim.kind is Kind.DEADLOCK for claim in found.properties
        )
        self.circles = found.constrained if self.forbids_deadlocks else 0

    def lines(self, about: Sequence[str], file: str) -> Iterator[str]:
        """Yield the lines of the model; the process first, as it asks for tables."""
        process = list(self._process())
        cut = list(self.transitions.cut())
        found = self.found
        yield from comment(*self._header(about, file))
        yield from variables(found.learner, self.identifiers)
        tables = list(arrays(self.identifiers))
        for array in tables:
            yield ""
            yield from declaration(array)
        if tables:
            yield ""
            yield from filling(tables)
        yield from self._assertions()
        yield from cut
        yield ""
        yield from process

    def _header(self, about: Sequence[str], file: str) -> Iterator[str]:
        found = self.found
        yield "A model for Spin, written by replicheck."
        yield ""
        yield from about
        for claim in found.properties:
            verdict = "is violated" if claim.name in found.violated else "holds"
            yield f"{claim.kind.value}: {claim.name} ({verdict}, says replicheck)"
        yield ""
        yield "A cell of the state is a variable, which holds the number of its value."
        yield "A d_step is one step, and one transition of Spin."
        yield ""
        yield from self._counts()
        yield ""
        yield from self._commands(file)

    def _commands(self, file: str) -> Iterator[str]:
        depth = max(LEAST_DEPTH, self._stored)
        bits = max(LEAST_HASH_BITS, self._stored.bit_length())
        yield f"    spin -a {file}"
        yield "    gcc -O2 -DNOREDUCE -DSAFETY -o pan pan.c"
        yield f"    ./pan -m{depth} -w{bits}"
        if self.found.violated:
            yield ""
            yield "Spin ends with the first violation. To visit all states instead:"
            yield f"    spin -D{UNJUDGED} -a {file}"

    @property
    def _stored(self) -> int:
        return 1 + self.found.states

    def _counts(self) -> Iterator[str]:
        found, starts = self.found, len(self.starts)
        transitions = 1 + starts + found.generated + self.circles
        yield (
            f"replicheck: {found.states} distinct states, {found.generated} generated,"
            f" depth {len(found.levels)}"
        )
        yield f"Spin:       {self._stored} states, stored; {transitions} transitions"
        yield "Spin begins in a state of its own, which it counts as a state and as a"
        yield f"transition, and goes from there to each initial state ({starts})."
        if self.circles:
            yield f"In {self.circles} states, which a constraint cuts, Spin goes round:"
            yield "else it would take them for deadlocks."

    def _assertions(self) -> Iterator[str]:
        """Yield the names that assertions fail with."""
        claims = self.transitions.step_claims
        yield ""
        yield from comment(
            "Always 0: an assertion fails with the name of what is wrong"
        )
        for name in (MET, *self.transitions.property_instances.values(), *claims):
            yield f"hidden byte {name};"
        if claims:
            yield f"#ifdef {UNJUDGED}"
            yield f"#define {JUDGE}(claim) skip"
            yield "#else"
            yield f"#define {JUDGE}(claim) assert(claim)"
            yield "#endif"

    def _process(self) -> Iterator[str]:
        # They ask for tables, of which the beginning must know.
        transitions = list(self._alternatives())
        yield "active proctype system()"
        yield "{"
        yield from beginning(self.starts, self.identifiers)
        if not self.forbids_deadlocks:
            yield "end_of_a_run:"
        yield f"{INDENT}do"
        # A loop must have an alternative, even that of a model without steps.
        yield f"{INDENT}:: false"
        yield from transitions
        yield f"{INDENT}od"
        yield "}"

    def _alternatives(self) -> Iterator[str]:
        yield from self.transitions.actions()
        yield from self.transitions.checks_of_constraints()
        if self.circles:
            yield f"{INDENT}:: d_step {{ {CUT} -> skip }}"
        yield f"#ifndef {UNJUDGED}"
        yield from self.transitions.claims()
        yield "#endif"
