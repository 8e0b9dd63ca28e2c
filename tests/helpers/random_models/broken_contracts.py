"""Random systems that break the contract of models in one way or another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st

from random_models.cells import Box, Mixed, Queue
from random_models.systems import System, pick, systems
from replicheck.explorer.properties import Property, always
from toys import Toy

Action = Callable[[Mixed], Iterator[Mixed]]

UNLIKE: tuple[tuple[str, Any], ...] = (
    ("number", True),
    ("number", 1.0),
    ("number", False),
    ("box", Box(True)),
    ("box", Box(1.0)),  # type: ignore[arg-type]
    ("box", Box(0, 1)),  # type: ignore[arg-type]
    ("queue", Queue((True,))),
    ("queue", Queue((0, True))),
    ("queue", Queue((True, 0))),
    ("queue", Queue((1.0,))),  # type: ignore[arg-type]
)
"""Values that are equal to others that a state may have, and unlike them."""


@frozen
class BrokenSystem:
    """A system, and what its model does that no model may do.

    ``lawful`` are the properties as they were before hidden state was read.
    """

    model: Toy
    properties: list[Property]
    system: System
    lawful: list[Property] | None = None


def with_unlike(state: Mixed, change: tuple[str, Any]) -> Mixed:
    """The state in which one of the values of `UNLIKE` is written."""
    field, value = change
    if field == "queue":
        return state.evolve(queues={(0, 0): value})
    return state.evolve(**{field: value})


def writing(change: tuple[str, Any], number: int) -> Callable[[Mixed], Iterator[Mixed]]:
    """An action that writes a value in states with a number."""

    def act_unlike(state: Mixed) -> Iterator[Mixed]:
        if state.number == number:
            yield with_unlike(state, change)

    return act_unlike


def putting(value: Any) -> Callable[[Mixed], Iterator[Mixed]]:
    """An action that applies an operation with an unlike argument."""

    def act_put(state: Mixed) -> Iterator[Mixed]:
        if not state.box.flag:
            yield state.evolve(box=state.box.put(value))

    return act_put


def raising(number: int, of_box: int) -> Callable[[Mixed], Iterator[Mixed]]:
    """An action that raises in a few states only."""

    def act_raise(state: Mixed) -> Iterator[Mixed]:
        if state.number == number and state.box.number == of_box:
            raise ArithmeticError("a rare branch")
        yield from ()

    return act_raise


def values_are_proper(state: Mixed) -> bool:
    """Every value that an action may have replaced has the class that it began with."""
    return (
        type(state.number) is int
        and state.box.is_proper
        and state.queues[0][0].is_proper
    )


def act_add_one(state: Mixed) -> Iterator[Mixed]:
    """Add one to the number in the box."""
    yield state.evolve(box=state.box.add(1))


def marks_are_numbers(state: Mixed) -> bool:
    """The box answers with the class of its first answer, which is not always so."""
    return type(state.box.mark()) is int


def with_another_length(start: Mixed, choice: int) -> Mixed:
    """An initial state one of whose families has another length."""
    return (
        start.evolve(number=1),
        evolve(start, boxes=(*start.boxes, Box())),
        evolve(start, boxes=()),
        evolve(start, queues=tuple((*inner, Queue()) for inner in start.queues)),
        evolve(start, numbers=(*start.numbers, 0), boxes=start.boxes[1:]),
    )[choice]


KINDS = ("value", "argument", "answer", "length", "rare exception", "hidden")


@st.composite
def broken_systems(draw: Any, kinds: tuple[str, ...] = KINDS) -> BrokenSystem:
    """Draw a system that breaks the contract in one of some ways, or nearly."""
    system = draw(systems())
    model, properties = system.model, system.properties
    kind = pick(draw, *kinds)
    if kind == "length":
        other = with_another_length(system.starts[0], pick(draw, 0, 1, 2, 3, 4))
        starts = pick(draw, (*system.starts, other), (other, *system.starts))
        return BrokenSystem(evolve(model, starts=starts), properties, system)
    if kind == "hidden":
        return _hidden(draw, system)
    makers: dict[str, Callable[[], Action]] = {
        "value": lambda: writing(pick(draw, *UNLIKE), pick(draw, 0, 1, 2)),
        "argument": lambda: putting(pick(draw, True, False, 1.0)),
        "answer": lambda: act_add_one,
        "rare exception": lambda: raising(pick(draw, 1, 2), pick(draw, 0, 1, 2)),
    }
    action = makers[kind]()
    actions = pick(draw, (action, *model.actions), (*model.actions, action))
    asked = marks_are_numbers if kind == "answer" else values_are_proper
    properties = [*properties, always(asked)]
    return BrokenSystem(evolve(model, actions=actions), properties, system)


def _hidden(draw: Any, system: System) -> BrokenSystem:
    """Have the invariants answer the reverse once an action was run in a late state."""
    model, number = system.model, pick(draw, 1, 2)
    seen: list[bool] = []

    def act_and_hide(state: Mixed) -> Iterator[Mixed]:
        if state.number < number:
            yield state.evolve(number=state.number + 1)
        else:
            seen.append(True)

    def reversed_late(claim: Property) -> Property:
        predicate = claim.predicate
        assert predicate is not None

        def late(state: Mixed) -> bool:
            return bool(predicate(state)) is not bool(seen)

        late.__name__ = claim.name
        return evolve(claim, predicate=late)

    alone = [f for f in system.always if f.takes == "nothing"]
    chosen = evolve(system, always=tuple(alone), sometimes=(), steps=())
    properties = [
        reversed_late(claim) if claim.predicate is not None else claim
        for claim in chosen.properties
    ]
    hiding = evolve(model, actions=(*model.actions, act_and_hide))
    return BrokenSystem(hiding, properties, system, chosen.properties)
