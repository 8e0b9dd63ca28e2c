"""Forms of claims: which invariants are learned as parts, and as which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from attrs import frozen

from random_claims.claim_texts import (
    Amount,
    TurnedDials,
    claim_of,
    dials,
)
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import FIRST_RUNS, Learner
from replicheck.explorer.properties import sometimes
from replicheck.model.state_base import Cells
from toys import Toy


def count_parts(text: str) -> int:
    """Of how many parts the instances of an invariant are, together."""
    learner = Learner(dials(), [claim_of(text)])
    return sum(function.role is Role.PROPERTY for function in learner.functions)


@pytest.mark.parametrize(
    "text",
    [
        "return all(v < 4 for v in s.values[:2])",
        "return all(v < 4 for a, v in enumerate(s.values) if a != amount)",
        "return all(v < 4 for box in [s] for v in box.values[1:])",
        "return all(v < 4 for row in [s.values[1:]] for v in row)",
        "for row in [s.values[1:]]:\n"
        "    for v in row:\n"
        "        if v > 4: return False\n"
        "return True",
        "return all(s.values[k] < 4 for k in s.limits)",
    ],
)
def test_what_is_learned_as_two_parts(text: str) -> None:
    """Of a part of a tuple, of the dials that pass a test, of the keys of a mapping."""
    assert count_parts(text) == 6


def test_a_constraint_is_learned_as_parts() -> None:
    """So is one that keeps each dial within bounds; what may be reached is not."""
    predicate = claim_of("return all(s.values[a] < 3 for a in PLACES)").predicate
    assert predicate is not None
    learner = Learner(dials(predicate), [sometimes(predicate)])
    roles = Counter(function.role for function in learner.functions)
    assert (roles[Role.CONSTRAINT], roles[Role.PROPERTY]) == (9, 3)


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
        "return all(v < 4 for v in s.values)",
        "return all(v < 4 for v in s.values if v != amount)",
        "return all(v < 4 or a == 4 for a, v in enumerate(s.values))",
        "for v in s.values:\n    if v > 4: return False\nreturn True",
        "for a, v in enumerate(s.values):\n    if v > 4 + a: return False\nreturn True",
        "for a in PLACES:\n"
        "    value = s.values[a]\n"
        "    if value == 3: continue\n"
        "    if value > 3: return False\n"
        "return True",
        "for a in PLACES:\n"
        "    for b in PLACES:\n"
        "        if a < b and s.values[a] + s.values[b] > 8: return False\n"
        "return True",
        "for a in PLACES:\n"
        "    if s.values[a] > 4: return False\n"
        "for a in range(3):\n"
        "    if s.values[a] < 0: return False\n"
        "return True",
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
        "return all(v < 4 for v in s.values for v in s.values)",
        "return all(v < 4 and b != v for v in s.values for b in (v, 9))",
        "return all(s.values[a] < 4 for a in PLACES if a for a in PLACES)",
        "for v in s.values:\n"
        "    if v > 4: return False\n"
        "for a in PLACES:\n"
        "    if v > s.values[a]: return False\n"
        "return True",
        "return all(sum(s.values) < 12 + a for a in PLACES)",
        "all = any\nreturn all(s.values[a] < 4 for a in PLACES)",
        "return all(s.values[a] < 4 for a in PLACES[s.values[0] :])",
        "for a in (1,): pass\nreturn all(s.values[a] < 4 for a in PLACES)",
        "for a in PLACES:\n    if s.values[a] > 4: return True\nreturn True",
        "for a in PLACES:\n    if s.values[a] > 4: break\nreturn True",
        "for a in PLACES:\n"
        "    if s.values[a] > 4: return False\n"
        "    else: return True\n"
        "return True",
        "for a in PLACES:\n"
        "    if s.values[a] > 4: return False\n"
        "else:\n"
        "    a = 1\n"
        "return True",
        "for a in PLACES:\n    while s.values[a] > 4: return False\nreturn True",
        "for a in PLACES:\n    if s.values[a] > 4: return False\nreturn s.is_reset",
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


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("return all(s.values[a] < 4 for a in PLACES)", {"all": any}),
        ("return all(v < 4 for v in s.values)", {"len": max}),
        ("range = {}.get\nreturn all(v < 4 for v in s.values)", {}),
    ],
)
def test_functions_that_are_called_as_those_of_python(
    text: str, known: dict[str, object]
) -> None:
    """It is not known what they do."""
    learner = Learner(dials(), [claim_of(text, **known)])
    assert sum(f.role is Role.PROPERTY for f in learner.functions) == 3


@pytest.mark.parametrize(
    "text",
    [
        "return all(s.values[a] < 4 for a in PLACES)",
        "for a in PLACES:\n"
        "    if s.values[a] == 1:\n"
        "        continue\n"
        "    elif s.values[a] > 3:\n"
        "        return False\n"
        "return True",
    ],
)
def test_parts_have_the_answers_that_the_whole_has_cell_by_cell(text: str) -> None:
    """Of three dials with four values each there are 64 answers, or three times 4."""
    learner = Learner(dials(), [claim_of(text)])
    for first, second, third in product(range(4), range(4), range(4)):
        row = learner.row(TurnedDials((first, second, third)))
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
