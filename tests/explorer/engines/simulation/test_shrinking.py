"""Shrinking where shorter runs come to states in which a function raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


@pytest.mark.parametrize("glances", [1, 2, 3, 5, 8, 40])
def test_shrinking_that_is_interrupted_has_the_shortest_run_so_far(
    glances: int,
) -> None:
    """Whether a try or the search is ended, a violation is there."""
    model = evolve(lattice(4), actions=(climb, leap))
    wandering = ["climb(direction=3)", "climb(direction=0)"] * 3
    trace = Stepper(model).take([*wandering, "climb(direction=1)", "leap"])
    near = always(is_near)
    seen: list[int] = []

    def end_at_last() -> None:
        seen.append(len(seen))
        if len(seen) >= glances:
            raise KeyboardInterrupt

    violation = Violation(near.name, near.kind, near.name, trace)
    found = shrink(model, near, violation, while_trying=end_at_last)
    lengths = [len(of.trace.steps) for of in (found, violation)]
    assert lengths == sorted(lengths)
    assert not is_near(found.trace.states[-1])
    assert Stepper(model).take([step.label for step in found.trace.steps]) == (
        found.trace
    )
    assert len(seen) == glances or lengths[0] == 2
