"""A step property that first asks what changed costs nothing in other steps.

So it is of cells with numbers and texts, too, whose values are no more than themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NewType

import pytest
from attrs import frozen

import toys
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.interpreter.vacuity import comparison_of
from replicheck.explorer.properties import every_step
from replicheck.model.state_base import Cells

Place = NewType("Place", int)


@frozen
class Knobs(Cells):
    """Numbers, of which one is turned at a time, and one that says how often."""

    dials: tuple[int, ...]
    turns: int = 0
    last: int | None = None

    @property
    def reading(self) -> int:
        """The number of turns where no dial was the last, else nothing."""
        return self.turns if self.last is None else 0


def turn(state: Knobs, place: Place) -> Iterator[Knobs]:
    """Turn a dial on."""
    if state.dials[place] < 3:
        yield state.evolve(dials={place: state.dials[place] + 1})


def count(state: Knobs) -> Iterator[Knobs]:
    """Count a turn."""
    if state.turns < 3:
        yield state.evolve(turns=state.turns + 1)


def note(state: Knobs, place: Place) -> Iterator[Knobs]:
    """Note the last."""
    if state.turns == 3:
        yield state.evolve(last=place)


MODEL = toys.Toy(
    (turn, count, note), (Knobs((0, 0, 0, 0)),), (), {Place: tuple(range(4))}
)


def only_up(before: Knobs, after: Knobs, place: Place) -> bool:
    """A dial is turned on by one, and stays below 3."""
    if after.dials[place] is before.dials[place]:
        return True
    return after.dials[place] == before.dials[place] + 1 < 3


def only_up_or_alike(before: Knobs, after: Knobs, place: Place) -> bool:
    """The same, in one expression."""
    return (
        before.dials[place] == after.dials[place]
        or after.dials[place] == before.dials[place] + 1 < 3
    )


def both_alike(before: Knobs, after: Knobs) -> bool:
    """Two cells are asked first."""
    if after.turns is before.turns and after.last == before.last:
        return True
    return before.last is None


def of_a_property(before: Knobs, after: Knobs) -> bool:
    """What is asked first is no cell, and rests on two."""
    if after.reading is before.reading:
        return True
    return before.turns == 0


def is_noted(before: Knobs, after: Knobs) -> bool:
    """Whether the last was noted is asked of each state, whatever changed."""
    return after.last is None or before.turns < 0


def of_a_family(before: Knobs, after: Knobs) -> bool:
    """What is asked first is never one object, and the rest compares one with None."""
    if after.dials is before.dials:
        return True
    return after.last is not None


def of_another(before: Knobs, after: Knobs) -> bool:
    """Two cells are compared that are not the same."""
    if after.dials[0] is before.dials[1]:
        return True
    return before.dials[2] < 1


def by_the_state(before: Knobs, after: Knobs) -> bool:
    """Which dial is compared rests on the state."""
    if after.dials[after.turns] is before.dials[after.turns]:
        return True
    return before.turns < 1


def never_down(before: Knobs, after: Knobs, place: Place) -> bool:
    """A dial is not turned back, which is asked of each dial after every step."""
    return after.dials[place] >= before.dials[place]


FIRST: dict[Callable[..., bool], set[str]] = {
    only_up: {"dials"},
    only_up_or_alike: {"dials"},
    both_alike: {"turns", "last"},
    of_a_property: {"reading"},
    is_noted: set(),
    of_a_family: {"dials"},
    of_another: set(),
    by_the_state: set(),
}
PREDICATES: list[Callable[..., bool]] = [*FIRST]
JUDGED = [predicate for predicate in PREDICATES if predicate is not of_a_family]


def fields_of(predicate: Callable[..., bool]) -> frozenset[str]:
    """The fields that it compares first."""
    comparison = comparison_of(predicate)
    return frozenset() if comparison is None else comparison.fields


@pytest.mark.parametrize("predicate", PREDICATES)
def test_what_is_compared_first_is_read_off_the_text(
    predicate: Callable[..., bool],
) -> None:
    """The fields of both states, by the same path; none if it begins otherwise."""
    assert fields_of(predicate) == FIRST[predicate]


def test_a_text_that_changed_since_is_not_believed(tmp_path: Path) -> None:
    """The code that runs is that of the text before."""
    file = tmp_path / "mine.py"
    text = "def claim(before, after):\n    if after.x is {}.x:\n        return True\n"
    for now, fields in (("before", {"x"}), ("after", set())):
        file.write_text(text.format("before"))
        names: dict[str, Any] = {}
        exec(compile(text.format(now), str(file), "exec"), names)
        assert fields_of(names["claim"]) == fields


def test_a_family_is_no_cell() -> None:
    """To ask whether it is the same object is not believed, but refused."""
    with pytest.raises(ModelError, match="compares by `is`"):
        BreadthFirst(threads=1).explore(MODEL, [every_step(of_a_family)], Search())


@pytest.mark.parametrize("predicate", JUDGED)
def test_it_is_judged_as_by_the_naive_engine(predicate: Callable[..., bool]) -> None:
    """Whether it may be left out of a step or not."""
    claims = [every_step(predicate)]
    search = Search(stop=Stop.EXHAUSTED)
    report = BreadthFirst(threads=1).explore(MODEL, claims, search)
    assert report == Naive().explore(MODEL, claims, search)
    assert report.violations


@pytest.mark.parametrize("predicate", [only_up, only_up_or_alike])
def test_other_actions_are_not_learned_together_with_it(
    predicate: Callable[..., bool],
) -> None:
    """Each is learned by what it reads itself, and what it writes."""

    def runs(*claims: Callable[..., bool]) -> int:
        report = BreadthFirst(threads=1).explore(
            MODEL, [*map(every_step, claims)], Search(stop=Stop.EXHAUSTED)
        )
        measured = report.statistics.breadth_first
        assert measured is not None
        return measured.functions["count"].runs

    assert runs(predicate) <= 2 * runs() < runs(never_down)
