"""A loop with steps may be in another loop, if no name leads from item to item."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import Any

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    ITEMS,
    Columns,
    explored,
    is_parted,
    put,
    runs_of,
    split_of,
    split_whatever_reads,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.proxies.loops.first_values import gives_values_first
from set_loops.nested_loops import FEW, PARTED, WHOLE
from toys import Toy

MOST_RUNS = 600
"""Of an action with a part for each of some columns, in 1,024 states."""
Acts = Callable[[Any], Iterator[Sets]]


@pytest.mark.parametrize("action", PARTED)
def test_it_is_learned_for_each_item_by_itself(action: Acts) -> None:
    """As often as the loop around it goes on."""
    assert is_parted(action)
    report = explored(put, action)
    assert split_of(report) == {"left": len(ITEMS)}
    assert runs_of(report, action.__name__) < MOST_RUNS


@pytest.mark.parametrize("action", WHOLE)
def test_it_is_learned_as_a_whole(action: Acts) -> None:
    """If what it does for an item may show to another one."""
    assert not is_parted(action)
    explored(put, action)


def test_the_inner_set_may_be_the_one_that_is_split() -> None:
    """The outer one has few values."""

    def mark(s: Sets) -> Iterator[Sets]:
        if not s.right:
            yield s.evolve(right=FEW)

    def take(s: Sets) -> Iterator[Sets]:
        for other in sorted(s.right, key=repr):
            for item in sorted(s.left, key=repr):
                if item != other:
                    yield s.evolve(left=s.left - {item})

    model = Toy((put, mark, take), (Sets(),), domains={Item: ITEMS})
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert split_of(found) == {"left": len(ITEMS)}
    assert runs_of(found, "take") < MOST_RUNS


def test_of_two_loops_over_a_set_the_outer_one_is_parted() -> None:
    """The inner one sees all of the set for each item."""

    def take_two(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            for other in sorted(s.left, key=repr):
                if item < other:
                    yield s.evolve(left=s.left - {item, other})

    with split_whatever_reads(Columns(5, False)):
        report = explored(put, take_two, crowded=20)
    assert split_of(report) == {"left": len(ITEMS)}


FIRST = r"""
x = m; use(x)
x = 1\nx += m
if m: x = 1\nelse: x = 2\nuse(x)
if m: continue\nelse: x = 2\nuse(x)
if m: raise E\nx = 2\nuse(x)
for y in m: use(y)
for y in m:\n  if y: break\nelse: y = 1; use(y)
while m: x = 1; use(x)
match m:\n  case [x] if x: use(x)
use([x for x in m])
""".strip().split("\n")
NOT_FIRST = r"""
use(x); x = m
x += 1
if m: x = 1\nuse(x)
if m: x = 1\nelse: pass\nuse(x)
if x: x = 1
for y in m: x = y\nuse(x)
for y in x: x = y
for y in m: pass\nuse(y)
for y in m:\n  break\nelse: x = 1\nuse(x)
for y in m: pass\nelse: use(x)\nx = 1
match m:\n  case x.a: pass\nx = 1
while x: x = 1
while m: x = 1\nuse(x)
while m: x = 1\nelse: use(x)
while m:\n  break\nelse: use(x)\nx = 1
x: int\nuse(x)\nx = 1
match m:\n  case [x]: pass\nuse(x)
match x:\n  case [x]: pass
match m:\n  case [_] if x: x = 1
use(x := m)
try: x = 1\nfinally: use(x)
x = [0 for y in m]\nuse(y)\ny = 1
use([y for y in m])\ny = 1
with m as x: use(x)
""".strip().split("\n")


def loop_of(text: str) -> ast.For:
    """A loop with a body, in which lines are divided by a text for that."""
    body = indent(text.replace(r"\n", "\n"), "    ")
    (loop,) = ast.parse(f"for m in ms:\n{body}").body
    assert isinstance(loop, ast.For)
    return loop


@pytest.mark.parametrize("text", FIRST)
def test_each_name_has_a_value_before_it_is_read(text: str) -> None:
    """Whichever way the body takes."""
    assert gives_values_first(loop_of(text))


@pytest.mark.parametrize("text", NOT_FIRST)
def test_a_name_may_be_read_that_another_item_gave_a_value(text: str) -> None:
    """Or it is not known that none is."""
    assert not gives_values_first(loop_of(text))


@pytest.mark.parametrize("iterated", ["s.boxes[x]", "s.box.where(number=x)", "m"])
def test_what_a_loop_iterates_may_read_what_it_did_before(iterated: str) -> None:
    """Where it begins again, in the loop around it."""
    (loop,) = ast.parse(f"for m in {iterated}:\n    x = m").body
    assert isinstance(loop, ast.For)
    assert not gives_values_first(loop)
