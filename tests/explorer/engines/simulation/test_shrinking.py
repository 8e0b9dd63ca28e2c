"""Shrinking where shorter runs come to states in which a function raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from attrs import evolve

from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.model import Predicate
from replicheck.explorer.properties import always
from replicheck.explorer.report import Violation
from replicheck.model.protocol import Action
from toys import Lattice, climb, lattice


def leap(state: Lattice) -> Iterator[Lattice]:
    """Make the third number five, if the second is up."""
    if state.at[1] == 1:
        yield state.evolve(at={2: 5})


def leap_or_raise(state: Lattice) -> Iterator[Lattice]:
    """Leap, and raise where the first number is not up."""
    for after in leap(state):
        require_first(state)
        yield after


def leap_to_a_set(state: Lattice) -> Iterator[Lattice]:
    """Leap, and have a set as a number where the first one is not up."""
    for after in leap(state):
        nothing: Any = frozenset()
        yield after if state.at[0] else state.evolve(at={2: nothing})


def require_first(state: Lattice) -> bool:
    """The first number is up, or the second is not; else it raises."""
    if state.at[1] > state.at[0]:
        raise ValueError("the first is needed")
    return True


def is_near(state: Lattice) -> bool:
    """The third number is not five."""
    return state.at[2] != 5


def is_near_or_raises(state: Lattice) -> bool:
    """The third number is not five, if the first is up with the second."""
    return require_first(state) and is_near(state)


@pytest.mark.parametrize(
    ("action", "claim", "constraints"),
    [
        (leap_or_raise, is_near, ()),
        (leap_to_a_set, is_near, ()),
        (leap, is_near_or_raises, ()),
        (leap, is_near, (require_first,)),
    ],
)
def test_a_shorter_run_in_which_a_function_raises_is_none(
    action: Action, claim: Predicate, constraints: Sequence[Predicate]
) -> None:
    """Without its second step the run comes to a state that no walk was in."""
    model = evolve(lattice(1), actions=(climb, action), constraints=constraints)
    needed = ["climb(direction=0)", "climb(direction=1)", action.__name__]
    trace = Stepper(model).take(["climb(direction=3)", *needed])
    far = always(claim)
    found = shrink(model, far, Violation(far.name, far.kind, far.name, trace))
    assert [step.label for step in found.trace.steps] == needed


def shrunk_until(moment: int) -> Violation[Any]:
    """A violation by eight steps, shrunk until what watches that ends it."""
    model = evolve(lattice(4), actions=(climb, leap))
    to_and_on = ["climb(direction=3)", "climb(direction=0)"] * 3
    trace = Stepper(model).take([*to_and_on, "climb(direction=1)", "leap"])
    near, glances = always(is_near), count(1)

    def end_then() -> None:
        if next(glances) >= moment:
            raise KeyboardInterrupt

    violation = Violation(near.name, near.kind, near.name, trace)
    found = shrink(model, near, violation, while_trying=end_then)
    taken = Stepper(model).take([step.label for step in found.trace.steps])
    assert (taken, is_near(taken.states[-1])) == (found.trace, False)
    return found


def test_shrinking_that_is_interrupted_has_the_shortest_run_so_far() -> None:
    """Whenever that is, a violation is there, and later on by no longer run."""
    lengths = [len(shrunk_until(moment).trace.steps) for moment in range(1, 40)]
    assert lengths == sorted(lengths, reverse=True)
    assert (lengths[0], lengths[-1]) == (8, 2)
    assert len(set(lengths)) > 2
