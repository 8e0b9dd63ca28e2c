"""Parts of claims: to learn what an invariant says of each changes no report."""

from __future__ import annotations

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_claims.claim_texts import (
    CLAIMS,
    LOOPS,
    claim_of,
    dials,
    premises_of,
)
from random_models.systems import slowly
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.errors import ModelError

ENGINES: list[Engine] = [
    NumpyWalk(),
    BreadthFirst(threads=1),
    BreadthFirst(threads=1, sample=1),
    BreadthFirst(threads=2),
    Partitioned(buckets=4, cluster=in_process(2), small=0),
]


@slowly
@given(CLAIMS | LOOPS, st.sampled_from(ENGINES), st.sampled_from(Stop))
def test_whatever_is_said_of_each(text: str, engine: Engine, stop: Stop) -> None:
    """The report is that of the obvious search: runs, errors and premises included."""
    claims = [claim_of(text)]
    expected = Naive().explore(dials(), claims, Search(stop=stop))
    report = engine.explore(dials(), claims, Search(stop=stop))
    assert report == expected
    assert report.failure == expected.failure
    if expected.failure is None:
        assert premises_of(report) == premises_of(expected)


@slowly
@given(CLAIMS | LOOPS, st.sampled_from(ENGINES))
def test_constraints_that_say_something_of_each(text: str, engine: Engine) -> None:
    """The same states are cut, each once, and the same exceptions are told."""
    constraint = claim_of(text).predicate
    assert constraint is not None
    expected = Naive().explore(dials(constraint), [], Search())
    report = engine.explore(dials(constraint), [], Search())
    assert report == expected
    assert report.failure == expected.failure
    assert report.constrained == expected.constrained


@pytest.mark.parametrize(
    "text",
    [
        "known = set()\n"
        "return all(\n"
        "    s.values[a] not in known and not known.add(s.values[a]) for a in PLACES\n"
        ")",
        "known = set()\n"
        "seen = known\n"
        "return all(\n"
        "    s.values[a] not in seen and not seen.add(s.values[a]) for a in PLACES\n"
        ")",
        "known = collections.deque()\n"
        "for a in PLACES:\n"
        "    if s.values[a] in known: return False\n"
        "    total = known.append(s.values[a])\n"
        "return True",
        "known = set()\n"
        "for a in PLACES:\n"
        "    if s.values[a] in known or known.add(s.values[a]): return False\n"
        "return True",
        "for a, known in zip(PLACES, [[]] * 3):\n"
        "    if s.values[a] in known: return False\n"
        "    known.append(s.values[a])\n"
        "return True",
        "return all(s.values[a] not in known and not known.append(s.values[a])\n"
        "    for known in ([],) for a in PLACES)",
        "b = 0\n"
        "for a in PLACES:\n"
        "    for b in range(3):\n"
        "        total = a\n"
        "    total = b\n"
        "for a in PLACES:\n"
        "    if s.values[a] > 4 - b: return False\n"
        "return True",
        "total = 9\n"
        "for a in PLACES:\n"
        "    for b in PLACES:\n"
        "        if s.values[b] > 9 - a: return False\n"
        "        a = 9\n"
        "return True",
        "last = 0\n"
        "for a in PLACES:\n"
        "    for b in range(last, last + 1):\n"
        "        if s.values[a] > 9 - 8 * b: return False\n"
        "        last = 1\n"
        "return True",
        "return all(s.values[k] < 3 or k for k in s.limits)",
        "for k in s.limits:\n"
        "    if s.values[k] > 2 and k == 0: return False\n"
        "return True",
        "return all(b < 3 and v < 9 for v in s.values for b in (v, 0))",
        "for a in PLACES:\n"
        "    total = a\n"
        "    for b in (1, 0):\n"
        "        if b == 1 and s.values[a] < 9: continue\n"
        "        if s.values[a] > 1: return False\n"
        "return True",
    ],
    ids=[
        "changed",
        "changed-by-another-name",
        "changed-deque",
        "changed-in-a-test",
        "changed-in-turns",
        "changed-in-a-loop",
        "left",
        "target",
        "range",
        "keys",
        "loop-of-keys",
        "name",
        "continue",
    ],
)
def test_claims_that_are_broken_by_what_comes_later(text: str) -> None:
    """One dial finds changed what another changed; the second turn returns False."""
    for engine in ENGINES:
        report = engine.explore(
            dials(), [claim_of(text, v=0, collections=collections)], Search()
        )
        assert [v.property for v in report.violations] == ["is_as_claimed"]


def test_a_loop_that_looks_at_the_class_of_a_state() -> None:
    """What it goes through is not what was looked at: the whole claim is asked."""
    claim = claim_of(
        "places = PLACES if type(s).__name__ == 'TurnedDials' else (0, 1)\n"
        "return all(s.values[a] < 2 or a < 2 for a in places)"
    )
    with pytest.raises(ModelError, match="is no part of the state"):
        BreadthFirst(threads=1).explore(dials(), [claim])


@pytest.mark.parametrize(
    "text",
    [
        "return all(6 // (3 - s.values[a]) for a in PLACES)",
        "return all(\n"
        "    6 // (3 - s.values[0])\n"
        "    if a == 0 else s.values[1] < 9 and s.values[0] < 3\n"
        "    if a == 1 else s.values[2] < 9\n"
        "    for a in PLACES\n"
        ")",
        "return (None if s.is_reset else 1) and all(s.values[a] < 9 for a in PLACES)",
    ],
    ids=["each", "the-first-of-a-part", "no-answer"],
)
def test_what_raises_is_told_of_the_claim(text: str) -> None:
    """With its line, also where something that comes later is false."""
    claim = claim_of(text)
    expected = Naive().explore(dials(), [claim], Search())
    assert expected.failure is not None
    assert expected.failure.function.startswith("is_as_claimed")
    for engine in ENGINES:
        assert engine.explore(dials(), [claim], Search()).failure == expected.failure
