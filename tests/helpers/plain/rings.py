"""Rings of numbers, actions that read all of a state, and claims that do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from attrs import frozen

from replicheck.model.state_base import Cells

Claim = Callable[..., bool]
SIZE, VALUES = 5, 3


@frozen
class Ring(Cells):
    """The number of each node, and one that stands aside."""

    numbers: tuple[int, ...]
    aside: int = 0


def go_aside(s: Ring) -> Iterator[Ring]:
    """What stands aside has many values."""
    if s.aside < SIZE:
        yield s.evolve(aside=s.aside + 1)


def copy(s: Ring) -> Iterator[Ring]:
    """A node takes the number of the one before."""
    for node in range(SIZE):
        if s.numbers[node] != s.numbers[node - 1]:
            yield s.evolve(numbers={node: s.numbers[node - 1]})


@frozen
class Marked(Cells):
    """The number of each node, and some that are marked."""

    numbers: tuple[int, ...]
    marks: frozenset[int]


@frozen
class TwoNumbers:
    """A record."""

    left: int
    right: int


@frozen
class TwoRecords(Cells):
    """Two records."""

    pairs: tuple[TwoNumbers, ...]


ALL_PAIRS = tuple(product(range(SIZE), repeat=2))


def all_records() -> Iterator[TwoRecords]:
    """Each field has any number."""
    for first, second in product(ALL_PAIRS, repeat=2):
        yield TwoRecords((TwoNumbers(*first), TwoNumbers(*second)))


def reverse_pairs(s: TwoRecords) -> Iterator[TwoRecords]:
    """The records change places."""
    yield s.evolve(pairs={0: s.pairs[1], 1: s.pairs[0]})


def both(s: TwoRecords) -> bool:
    """It reads both fields of each record."""
    return sum(pair.left + pair.right for pair in s.pairs) < 4 * SIZE


def one_of_two(s: TwoRecords) -> bool:
    """It reads one field of each record."""
    return sum(pair.left for pair in s.pairs) < 4 * SIZE


def reverse_numbers(s: Any) -> Iterator[Any]:
    """The numbers come the other way round, which reads all of them."""
    yield s.evolve(numbers=dict(enumerate(reversed(s.numbers))))


def reverse(s: Ring) -> Iterator[Ring]:
    """As `reverse_numbers`, and what stands aside is read, too."""
    yield s.evolve(numbers=dict(enumerate(reversed(s.numbers))), aside=s.aside)


def step_aside(s: Ring) -> Iterator[Ring]:
    """What stands aside becomes more, which reads nothing else."""
    if s.aside < 1:
        yield s.evolve(aside=s.aside + 1)


def differing(s: Ring) -> int:
    """How many nodes have another number than the one before."""
    return sum(s.numbers[node] != s.numbers[node - 1] for node in range(SIZE))


def never_more(before: Ring, after: Ring) -> bool:
    """No step has more nodes differ; it is broken at once by a ring."""
    return differing(after) + before.aside <= differing(before)


def more_only_aside(before: Ring, after: Ring) -> bool:
    """No step has more nodes differ, unless something stands aside."""
    return differing(after) <= differing(before) or after.aside > 0


def rare_premise(before: Ring, after: Ring) -> bool:
    """It is about few steps only."""
    if sum(before.numbers) + after.aside < SIZE * (VALUES - 1) + 1:
        return True
    return differing(after) == 0


def rare(s: Ring) -> bool:
    """It is about few states only."""
    if sum(s.numbers) + s.aside < SIZE * (VALUES - 1) + 1:
        return True
    return differing(s) == 0


def sum_is_small(s: Ring) -> bool:
    """It reads all numbers."""
    return sum(s.numbers, s.aside) <= SIZE * VALUES


def few_differ(s: Ring) -> bool:
    """It is broken where all nodes differ."""
    return differing(s) + s.aside < SIZE


def all_rings() -> Iterator[Ring]:
    """Each node has any number."""
    for numbers in product(range(VALUES), repeat=SIZE):
        yield Ring(numbers)
