"""Parts of claims: to learn what an invariant says of each changes no report."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from itertools import count, product
from typing import Any, NewType

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import slowly
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import FIRST_RUNS, Learner
from replicheck.explorer.properties import Property, always
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

Amount = NewType("Amount", int)
AMOUNTS: dict[object, tuple[object, ...]] = {Amount: (0, 1, 2)}
FILES = count()
"""Of the texts, each of which is a file to Python."""
ENGINES: list[Engine] = [
    NumpyWalk(),
    BreadthFirst(threads=1),
    BreadthFirst(threads=1, sample=1),
    BreadthFirst(threads=2),
    Partitioned(buckets=4, cluster=in_process(2), small=0),
]


@frozen
class Dials(Cells):
    """Three numbers, a set of numbers, and whether the numbers were ever reset."""

    values: tuple[int, int, int] = (0, 0, 0)
    seen: frozenset[int] = frozenset()
    is_reset: bool = False


def turn(s: Dials) -> Iterator[Dials]:
    """Add 1 to a dial."""
    for place in range(3):
        value = s.values[place] + 1
        if value < 4:
            yield s.evolve(values={place: value}, seen=s.seen | {value // 2})


def reset(s: Dials) -> Iterator[Dials]:
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


def dials() -> Toy:
    """The model of which the claims are made."""
    return Toy((turn, reset), (Dials(), Dials((3, 0, 1))), domains=AMOUNTS)


def premises_of(report: Report[Any]) -> dict[str, bool]:
    """Which claims ever had to say anything."""
    coverage = report.statistics.coverage
    assert coverage is not None
    return dict(coverage.premises)


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


@slowly
@given(CLAIMS, st.sampled_from(ENGINES), st.sampled_from(Stop))
def test_whatever_is_said_of_each(text: str, engine: Engine, stop: Stop) -> None:
    """The report is that of the obvious search: runs, errors and premises included."""
    claims = [claim_of(text)]
    expected = Naive().explore(dials(), claims, Search(stop=stop))
    report = engine.explore(dials(), claims, Search(stop=stop))
    assert report == expected
    assert report.failure == expected.failure
    if expected.failure is None:
        assert premises_of(report) == premises_of(expected)


def count_parts(text: str) -> int:
    """Of how many parts the instances of an invariant are, together."""
    learner = Learner(dials(), [claim_of(text)])
    return sum(function.role is Role.PROPERTY for function in learner.functions)


@pytest.mark.parametrize(
    "text",
    [
        "return all(s.values[a] < 4 for a in PLACES)",
        "return all(s.values[a] + s.values[b] < 8 for a in PLACES for b in range(a))",
        "return all(s.values[a] < 4 for a in PLACES if s.values[a] != amount)",
        "return not s.is_reset or all(s.values[a] < 4 for a in PLACES)",
        "return s.seen != {9} and all(s.values[a] < 4 for a in PLACES)",
        "if s.is_reset: return True\nreturn all(s.values[a] < 4 for a in PLACES)",
        "limit = 4\nreturn all(s.values[a] < limit for a in PLACES)",
        "limit = max(PLACES) + sum({1, 1}) + 1\n"
        "return all(s.values[a] < limit for a in PLACES)",
        "ids = frozenset([*PLACES])\n"
        "return all(s.values[a] < 4 for a in PLACES if a in ids)",
        "limit = 4 + max(place for place in [0])\n"
        "return all(s.values[a] < limit for a in PLACES)",
    ],
)
def test_what_is_learned_as_parts(text: str) -> None:
    """One for each dial, or for each pair of dials, and for each amount."""
    assert count_parts(text) == 9


@pytest.mark.parametrize(
    "text",
    [
        "return all([s.values[a] < 4 for a in PLACES])",
        "return all(value < 4 for value in s.seen)",
        "return all(sum(s.values) < 12 + a for a in PLACES)",
        "all = any\nreturn all(s.values[a] < 4 for a in PLACES)",
        "return all(s.values[a] < 4 for a in PLACES[s.values[0] :])",
        "for a in (1,): pass\nreturn all(s.values[a] < 4 for a in PLACES)",
        "if s.is_reset: return s.is_reset\nreturn all(s.values[a] < 4 for a in PLACES)",
        "return any(s.values[a] < 4 for a in PLACES)",
        "return all(s.values[a] < 4 for a in (1,))",
        "ids = {1, 2}\nreturn all(s.values[a] not in ids for a in PLACES)",
        "ids = max([place] for place in [0])\n"
        "return all(s.values[a] not in ids for a in PLACES)",
        "ids = iter((1, 2, 3))\nreturn all(s.values[a] != next(ids) for a in PLACES)",
    ],
)
def test_what_is_learned_as_a_whole(text: str) -> None:
    """Each amount has one: what it goes through is not known, or all read the same."""
    assert count_parts(text) == 3


def test_what_one_changes_and_the_next_finds_changed() -> None:
    """The claim that all dials differ, as it is written to be quick."""
    claim = claim_of(
        "known = set()\n"
        "return all(\n"
        "    s.values[a] not in known and not known.add(s.values[a]) for a in PLACES\n"
        ")"
    )
    for engine in ENGINES:
        report = engine.explore(dials(), [claim], Search())
        assert [v.property for v in report.violations] == ["is_as_claimed"]


def test_a_function_that_is_called_all() -> None:
    """It is not known what it does."""
    claim = claim_of("return all(s.values[a] < 4 for a in PLACES)", all=any)
    learner = Learner(dials(), [claim])
    assert sum(f.role is Role.PROPERTY for f in learner.functions) == 3


def test_a_loop_that_looks_at_the_class_of_a_state() -> None:
    """What it goes through is not what was looked at: the whole claim is asked."""
    claim = claim_of(
        "places = PLACES if type(s).__name__ == 'Dials' else (0, 1)\n"
        "return all(s.values[a] < 2 or a < 2 for a in places)"
    )
    with pytest.raises(ModelError, match="is no part of the state"):
        BreadthFirst(threads=1).explore(dials(), [claim])


def test_parts_have_the_answers_that_the_whole_has_cell_by_cell() -> None:
    """Of three dials with four values each there are 64 answers, or three times 4."""
    text = "return all(s.values[a] < 4 for a in PLACES)"
    learner = Learner(dials(), [claim_of(text)])
    for first, second, third in product(range(4), repeat=3):
        row = learner.row(Dials((first, second, third)))
        for number, function in enumerate(learner.functions):
            if function.role is Role.PROPERTY:
                learner.learn(number, row)
    of_three_amounts = 3 * 12
    assert learner.effort["is_as_claimed"].runs == of_three_amounts + FIRST_RUNS


@frozen
class ManyDials(Cells):
    """So many numbers that some are claimed together."""

    values: tuple[int, ...] = (0,) * 100


def turn_first(s: ManyDials) -> Iterator[ManyDials]:
    """Turn one of them."""
    if not s.values[0]:
        yield s.evolve(values={0: 1})


def test_no_more_than_sixteen_parts() -> None:
    """Of a hundred cells each part has several."""
    claim = claim_of("return all(s.values[a] < 2 for a in range(len(s.values)))")
    learner = Learner(
        Toy((turn_first,), (ManyDials(),), domains={Amount: (0,)}), [claim]
    )
    parts = [f for f in learner.functions if f.role is Role.PROPERTY]
    assert len(parts) == 16


def test_what_raises_in_one_part_is_told_of_the_claim() -> None:
    """With the line of the claim, not of what stands for it."""
    claim = claim_of("return all(6 // (3 - s.values[a]) for a in PLACES)")
    for engine in (Naive(), *ENGINES):
        report = engine.explore(dials(), [claim], Search())
        assert report.failure is not None
        assert report.failure.function == "is_as_claimed(amount=0)"
        assert report.failure.place.endswith(":2")
