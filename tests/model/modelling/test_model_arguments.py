"""What is given to a model and is no such thing is refused where it is given."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replicheck.modelling import Bounds, Id, Model, ModellingError, State, bound


class Quorum(Bounds):
    """How many servers there are."""

    servers: int = bound(2)


class Voter(Id):
    """A server."""


class Leadership(State):
    """What the servers are."""

    leader: int = 0


def elect(s: Leadership) -> Iterator[Leadership]:
    """Elect the next server."""
    yield s.evolve(leader=s.leader + 1)


def has_leader(s: Leadership) -> bool:
    """There is a leader."""
    return s.leader >= 0


Untyped: Any = Model
"""What a user writes whose types are not checked."""
MODELS: list[tuple[Callable[..., Any], str]] = [
    (lambda: Untyped(Leadership, Quorum), "Leadership is no name"),
    (lambda: Untyped(" "), "' ' is no name"),
    (lambda: Untyped("two\nlines"), "is no name: write one line"),
    (
        lambda: Untyped("x", Quorum(servers=2)),
        "is a value: give the class, bounds=Quorum",
    ),
    (lambda: Untyped("x", int), "bounds=int is no class of bounds"),
    (lambda: Untyped("x", Quorum, [Voter]), "is no dictionary"),
    (lambda: Untyped("x", Quorum, {"Voter": "servers"}), "'Voter' has values"),
    (lambda: Untyped("x", Quorum, {Voter: 2}), "the values of Voter are 2"),
]
ADDITIONS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda model: model.initial(Leadership()), "is no function with a name"),
    (lambda model: model.action(functools.partial(elect)), "is no function with a"),
    (lambda model: model.action(has_leader), "has_leader returns its next state"),
    (lambda model: model.always(True), "True is no function with a name"),
    (lambda model: model.sometimes(lambda s: True), "a property is a lambda"),
    (lambda model: model.leads_to(has_leader, "elected"), "'elected' is no function"),
    (lambda model: model.strongly_fair("elect"), "'elect' is no function"),
    (lambda model: model.add_unfair([elect]), "is no function with a name"),
    (lambda model: model.symmetric("Voter"), "'Voter' is said to be symmetric"),
    (lambda model: model.variant(3, {elect: elect}), "3 is no name"),
    (lambda model: model.variant("x", elect), "elect is no dictionary"),
    (lambda model: model.variant("y", {elect: 3}), "3 is no function with a name"),
    (lambda model: model.variant("z", {"elect": elect}), "'elect' is no function with"),
]


def line_of(function: Callable[..., Any]) -> str:
    """File and line where something is given."""
    file = Path(inspect.getfile(function)).name
    return f"{file}:{function.__code__.co_firstlineno}: "


@pytest.mark.parametrize(("make", "message"), MODELS)
def test_what_a_model_is_made_of(make: Callable[..., Any], message: str) -> None:
    """Its name, its bounds and its domains."""
    with pytest.raises(ModellingError, match=message) as error:
        make()
    assert line_of(make) in str(error.value)


@pytest.mark.parametrize(("add", "message"), ADDITIONS)
def test_what_is_added_to_a_model(add: Callable[[Any], Any], message: str) -> None:
    """Functions, classes and names of variants."""
    model = Model("x", Quorum, {Voter: "servers"})
    model.action(elect)
    with pytest.raises(ModellingError, match=message) as error:
        add(model)
    assert Path(__file__).name in str(error.value)
