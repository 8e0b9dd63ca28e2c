"""Classes of the values of a model, by name."""

from __future__ import annotations

from typing import Generic, TypeVar

import pytest
from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.modelling import Bag, Map, Optional, Queue, Set
from replicheck.traces.value_classes import class_name, value_classes
from shipped import SYSTEMS

T = TypeVar("T")


@frozen
class Bulb:
    """A value."""


@frozen
class Room:
    """A state with a value that has another one's name."""

    bulb: Bulb | None

    @frozen
    class Door:
        """A value of the state, whose name says where it is defined."""


class Other:
    """A place for another class of the same name."""

    @frozen
    class Inner(Bulb):
        """A bulb, which no annotation mentions."""

    class Bare(Bulb):
        """No value: it is not frozen by attrs."""


def test_a_name_has_the_model_and_the_class() -> None:
    """What stands between them is where the class is, which may change."""
    known = value_classes(SYSTEMS["composed"].state)
    context = known["cluster:ControllerContext"]
    thread = known["fetching:FetcherThread"]
    assert context.__module__.startswith("replicheck.model.cluster.")
    assert class_name(context) == "cluster:ControllerContext"
    assert class_name(thread) == "fetching:FetcherThread"


def test_a_subclass_of_what_is_annotated_is_known() -> None:
    """A field may hold any of them."""
    module = __name__.partition(".")[0]
    assert set(value_classes(Room)) == {
        f"{module}:Room",
        f"{module}:Bulb",
        f"{module}:Other.Inner",
    }


@frozen
class Cupboard(Generic[T]):
    """A value of a generic class, with a field of another one."""

    things: tuple[T, ...]
    room: Room


@frozen
class Corridor:
    """A state with values of generic classes."""

    cupboard: Cupboard[Bulb]
    numbers: tuple[Queue[int], ...]
    letters: Bag[int]
    doors: Map[int, Optional[Set[int]]]


def test_a_class_with_what_it_holds_is_known() -> None:
    """Such as `Cupboard[Bulb]`, and what it holds."""
    known = value_classes(Corridor)
    generic = {Queue, Bag, Map, Optional, Set, Cupboard}
    assert generic | {Room, Bulb} <= set(known.values())


def test_two_classes_of_one_name_are_refused() -> None:
    """The message says where each of them is."""
    twin = frozen(type("Bulb", (), {"__module__": f"{__name__}.elsewhere"}))
    holder = frozen(
        type("Holder", (), {"__annotations__": {"bulb": Bulb, "twin": twin}})
    )
    with pytest.raises(ModelError, match="two classes are called"):
        value_classes(holder)
