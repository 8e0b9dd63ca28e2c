"""Random actions of a board, as texts with loops over items."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from attrs import define, frozen
from hypothesis import strategies as st

from replicheck.model.protocol import Action
from replicheck.model.state_base import Cells
from toys import Toy

FILES = count()
"""Of the texts, each of which is a file to Python."""


@frozen
class Mark:
    """A value in one cell: a number, and some that were there before."""

    number: int = 0
    before: frozenset[int] = frozenset()

    def next(self) -> Mark:
        """The mark with the next number."""
        return Mark((self.number + 1) % 3, self.before | {self.number})


@frozen
class MarkedBoard(Cells):
    """Numbers by place, in rows and in a set, and marks by place."""

    values: tuple[int, int, int] = (0, 0, 0)
    rows: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    seen: frozenset[int] = frozenset()
    marks: tuple[Mark, Mark] = (Mark(), Mark())


@define(eq=False)
class Turns:
    """A number that changes in place."""

    number: int = 0


TAKEN = """
def taken(s, a):
    if s.values[a] != 1:
        yield s.evolve(values={a: (s.values[a] + 2) % 3})
    for b in PLACES:
        if s.values[b] > 1:
            yield s.evolve(values={b: 0}, seen=frozenset())
"""


def action_of(text: str, name: str = "act") -> Action:
    """The action that is the body of a function."""
    file = f"<actions {next(FILES)}>"
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    whole = f"{TAKEN}\ndef {name}(s):\n{lines}"
    linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
    names: dict[str, Any] = {
        "PLACES": (0, 1, 2),
        "itertools": itertools,
        "Turns": Turns,
    }
    exec(compile(whole, file, "exec", dont_inherit=True), names)
    action: Action = names[name]
    return action


def turn(s: MarkedBoard) -> Iterator[MarkedBoard]:
    """Turn the first number."""
    yield s.evolve(values={0: (s.values[0] + 1) % 3})


def board(*texts: str) -> Toy:
    """The model of which the actions are made."""
    actions = [action_of(text, f"act_{number}") for number, text in enumerate(texts)]
    return Toy(
        (turn, *actions),
        (MarkedBoard(), MarkedBoard((1, 0, 2), seen=frozenset({2, 0}))),
    )


def keeps_marks(before: MarkedBoard, after: MarkedBoard) -> bool:
    """A step that writes a mark leaves the numbers alone."""
    return before.marks == after.marks or before.values == after.values


NUMBERS = st.sampled_from(
    [
        *("range(3)", "PLACES", "range(len(s.values))", "(2, 0)", "[0, 1, 2]"),
        *(
            "sorted(s.seen)",
            "sorted(s.seen, reverse=True)",
            "range(s.values[0])",
            "reversed(PLACES)",
        ),
        *("(n for n in PLACES if s.values[n])", "sorted(s.seen | {1})", "iter(PLACES)"),
        *(
            "tuple(known)",
            "later",
            "sorted(s.marks[0].before)",
            "sorted(s.marks[1].next().before)",
            "[n for n in PLACES if n != s.values[1]]",
        ),
    ]
)
PAIRS = st.sampled_from(
    [
        *("enumerate(s.values)", "enumerate(PLACES)", "zip(PLACES, s.values)"),
        *("enumerate(sorted(s.seen))", "zip(range(2), s.rows[0])", "zip(*s.rows)"),
        *("itertools.product(PLACES, (0, 1))", "itertools.combinations(PLACES, 2)"),
        *("enumerate(s.rows[1])", "enumerate(s.values, 1)", "zip(known, PLACES)"),
        *("enumerate(m.number for m in s.marks)", "zip(sorted(s.seen), s.values)"),
    ]
)
CELL = st.sampled_from(
    ["s.values[a % 3]", "s.values[b % 3]", "s.rows[a % 2][b % 2]", "s.values[0]"]
)
TEST = st.one_of(
    st.builds("{} < {}".format, CELL, st.integers(1, 2)),
    st.builds("{} != {}".format, CELL, CELL),
    st.builds("1 // {} < 2".format, CELL),
    st.builds("{} not in s.seen".format, CELL),
    st.builds("{} not in known and not known.append({})".format, CELL, CELL),
    st.sampled_from(["a != b", "total < 2", "s.marks[a % 2].number", "a in s.seen"]),
    st.just("next(later, 0) < 2"),
)
CHANGE = st.one_of(
    st.builds("values={{a % 3: ({} + 1) % 3}}".format, CELL),
    st.builds("values={{b % 3: {}}}, seen=s.seen | {{a}}".format, CELL),
    st.builds("rows={{(a % 2, b % 2): {} % 2}}".format, CELL),
    st.builds("seen=s.seen - {{{}}}".format, CELL),
    st.sampled_from(
        ["marks={a % 2: s.marks[a % 2].next()}", "seen=frozenset({total % 3})"]
    ),
)
STEP = st.one_of(
    st.builds("yield s.evolve({})".format, CHANGE),
    st.builds("if {}: yield s.evolve({})".format, TEST, CHANGE),
    st.just("yield from taken(s, a % 3)"),
)
LINE = st.one_of(
    st.builds("if {}: continue".format, TEST),
    st.builds("if {}: total = a".format, TEST),
    st.sampled_from(["total = a + b", "b = a", "total += 1", "found = [total]"]),
    st.sampled_from(["b = 1", "break", "total = sum(s.values)"]),
)


def indented(lines: Sequence[str]) -> str:
    """Lines, or blocks of them, in a block."""
    return "".join(f"    {line}\n" for block in lines for line in block.splitlines())


BODY = st.tuples(st.lists(LINE, max_size=1), st.lists(STEP, min_size=1, max_size=2))
BODIES = BODY.map(lambda parts: indented([*parts[0], *parts[1]]))
OVER = st.one_of(
    st.builds("for a in {}:".format, NUMBERS),
    st.builds("for a, b in {}:".format, PAIRS),
    st.builds("for b, a in {}:".format, PAIRS),
    st.just("for b in s.values:"),
)
LOOP = st.builds("{}\n{}".format, OVER, BODIES)
NEST = st.builds(
    "{}\n{}".format,
    OVER,
    st.lists(STEP | LINE | LOOP, min_size=1, max_size=3).map(indented),
)
FIRST = st.sampled_from(
    [
        "",
        "if s.values[1] == 2: return\n",
        "if not s.seen: yield s.evolve(seen=frozenset({1}))\n",
        "total = s.values[2]\n",
        "b = s.values[0]\n",
    ]
)
LAST = st.sampled_from(
    [
        *("", "if total: yield s.evolve(seen=frozenset())\n"),
        *("if b > 1: yield s.evolve(values={2: b % 3})\n", "assert len(known) < 3\n"),
    ]
)
GIVEN = "a = b = total = 0\nknown, later = {}, iter(range(4))\n".format
ACTIONS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["[]", "()", "[0, 2]", "(1, 2)"]).map(GIVEN),
    FIRST,
    st.lists(LOOP | NEST, min_size=1, max_size=2).map("".join),
    LAST,
)
