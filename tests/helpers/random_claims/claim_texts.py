"""Random invariants of a few dials, as texts that say something of each."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, NewType

from attrs import field, frozen
from hypothesis import strategies as st

from replicheck.explorer.model import Predicate
from replicheck.explorer.properties import Property, always
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

Amount = NewType("Amount", int)
AMOUNTS: dict[object, tuple[object, ...]] = {Amount: (0, 1, 2)}
FILES = count()
"""Of the texts, each of which is a file to Python."""


@frozen
class TurnedDials(Cells):
    """Three numbers, a set of numbers, and whether the numbers were ever reset."""

    values: tuple[int, int, int] = (0, 0, 0)
    seen: frozenset[int] = frozenset()
    is_reset: bool = False
    limits: Mapping[int, int] = field(eq=False, default=MappingProxyType({0: 1, 1: 2}))


def turn(s: TurnedDials) -> Iterator[TurnedDials]:
    """Add 1 to a dial."""
    for place in range(3):
        value = s.values[place] + 1
        if value < 4:
            yield s.evolve(values={place: value}, seen=s.seen | {value // 2})


def reset(s: TurnedDials) -> Iterator[TurnedDials]:
    """Set the last dial to 0."""
    if s.values[2] == 3 and not s.is_reset:
        yield s.evolve(values={2: 0}, is_reset=True)


def claim_of(text: str, **known: object) -> Property:
    """The invariant that is the body of a function."""
    file = f"<claims {next(FILES)}>"
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    whole = f"def is_as_claimed(s, amount: Amount):\n{lines}"
    linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
    names: dict[str, Any] = {"PLACES": (0, 1, 2), "Amount": Amount, "most": 3, **known}
    exec(compile(whole, file, "exec", dont_inherit=True), names)
    return always(names["is_as_claimed"])


def premises_of(report: Report[Any]) -> dict[str, bool]:
    """Which claims ever had to say anything."""
    coverage = report.statistics.coverage
    assert coverage is not None
    return dict(coverage.premises)


def dials(*constraints: Predicate) -> Toy:
    """The model of which the claims are made."""
    starts = TurnedDials(), TurnedDials((3, 0, 1))
    return Toy((turn, reset), starts, constraints, AMOUNTS)


CELL = st.sampled_from(["s.values[a]", "s.values[b]", "s.values[0]"])
TEST = st.one_of(
    st.builds("{} {} {}".format, CELL, st.sampled_from(["<=", "!="]), CELL),
    st.builds("{} <= {}".format, CELL, st.integers(0, 3)),
    st.builds("{} != amount".format, CELL),
    st.builds("{} <= most".format, CELL),
    st.builds("6 // {} >= a".format, CELL),
    st.builds("1 // (3 - {}) <= most".format, CELL),
    CELL.map(lambda cell: f"{cell} not in known and not known.add({cell})"),
    st.builds("(total := total + {}) <= 8".format, CELL),
    st.builds("{} not in s.seen".format, CELL),
    st.sampled_from(["s.is_reset", "not s.is_reset", "a <= b", "total < 8"]),
)
CLAIMED = TEST | st.builds("{} or {}".format, TEST, TEST)
LOOP = st.sampled_from(
    [
        "for a in PLACES for b in (0, 2)",
        "for a in range(len(s.values)) for b in range(a)",
        "for a, b in ((0, 1), (1, 2), (2, 0))",
        "for a in [amount] for b in PLACES",
        "for a in PLACES for b in sorted(s.seen)",
        "for a in range(s.values[0]) for b in PLACES",
        "for a, b in enumerate(s.values)",
        "for b in s.values for a in PLACES",
        "for a in PLACES for b in s.values",
        "for a in PLACES for b in s.values[a:]",
        "for a in s.limits for b in s.limits",
        "for b in [a for a in PLACES] for a in (b, amount)",
        "for a in PLACES for b in PLACES[a:]",
    ]
)
FILTER = st.sampled_from(["", " if a != b", " if s.values[a]", " if 2 // s.values[b]"])
SAID_OF_ALL = st.builds("all({} {}{})".format, CLAIMED, LOOP, FILTER)
FIRST = st.sampled_from(
    ["", "not s.is_reset or ", "s.is_reset and ", "amount and s.is_reset or "]
)
LEADING = st.sampled_from(
    [
        "'''What is claimed.'''",
        "if s.is_reset: return True",
        "if not s.values[0]: return 1",
        "if s.values[1] > 2: return s.is_reset and None",
        "if s.values[1] > 2: return 0",
        "total = sum(s.values)",
        "amount = 1 - amount",
        "values = [*s.values]",
    ]
)
DEFINED = ["known = frozenset()\ntotal = amount", "known = set()\ntotal = 0"]
CLAIMS = st.builds(
    "{}\n{}\nreturn {}{}".format, st.sampled_from(DEFINED), LEADING, FIRST, SAID_OF_ALL
)
ENDS = st.one_of(
    st.builds("if {}: continue".format, TEST),
    st.builds("if not ({}): return False".format, CLAIMED),
    st.builds("if {}:\n    total = a\n    if {}: return False".format, TEST, TEST),
    st.builds("if {}: total = b\nelse: return False".format, TEST),
    st.sampled_from(["total = a + b", "a = 0", "b = total", "if b: a = b"]),
    st.just("if total > 3: return False"),
)


def indented(lines: Sequence[str]) -> str:
    """Lines, or blocks of them, in a block."""
    return "".join(f"    {line}\n" for block in lines for line in block.splitlines())


ITERATED = st.sampled_from(
    [
        "PLACES",
        "(0, 2)",
        "range(s.values[0])",
        "sorted(s.seen)",
        "s.values",
        "range(total)",
    ]
)
TURNS = st.lists(ENDS, min_size=1, max_size=3).map(indented)
INNER = st.builds("for b in {}:\n{}".format, ITERATED, TURNS)
LOOPS = st.builds(
    "b = amount\n{}\n{}\n{}return True".format,
    st.sampled_from(DEFINED),
    LEADING,
    st.lists(
        st.builds(
            "for a in {}:\n{}".format,
            ITERATED,
            st.lists(ENDS | INNER, min_size=1, max_size=2).map(indented),
        ),
        min_size=1,
        max_size=2,
    ).map("".join),
)
