"""Fields of states, values and bounds that engines could not tell are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import pytest
from attrs import validators

from replicheck.model.modelling.values import HOOKS, OF_ENGINES
from replicheck.modelling import Bounds, ModellingError, State, Value, bound, budget
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import decode, encode

BOUNDS: list[tuple[Callable[[], Any], str]] = [
    (lambda: bound("3"), "a bound is '3', expected a number"),  # type: ignore[arg-type]
    (lambda: bound(3, at_least=5), "a bound is 3, and may be 5 to 255"),
    (lambda: bound(300), "a bound is 300, and may be 0 to 255"),
    (lambda: budget(-1), "a bound is -1, and may be 0 to 255"),
    (lambda: bound(3, fuzz=(5, 1)), r"fuzz=\(5, 1\) is no range of 0 to 255"),
    (lambda: bound(3, at_most=4, fuzz=(1, 5)), r"fuzz=\(1, 5\) is no range of 0 to 4"),
    (lambda: budget(1, fuzz=3), "fuzz=3 is no range"),  # type: ignore[arg-type]
]


def made(base: type, name: str, *default: object, hint: object = int) -> type:
    """A class with one field."""
    body = {"__annotations__": {name: hint}, **dict.fromkeys([name][: len(default)])}
    if default:
        body[name] = default[0]
    return type("Made", (base,), body)


@pytest.mark.parametrize(("make", "message"), BOUNDS)
def test_a_bound_that_is_none(make: Callable[[], Any], message: str) -> None:
    """With the place where it is written."""
    with pytest.raises(ModellingError, match=message) as error:
        make()
    assert "test_fields.py:" in str(error.value)


@pytest.mark.parametrize(
    ("make", "limits"),
    [
        (lambda limit: budget(limit, fuzz=(0, 255)), (0, 255)),
        (lambda limit: budget(limit, at_most=2, fuzz=(0, 2)), (0, 2)),
        (lambda limit: bound(limit, at_least=1, at_most=3, fuzz=(1, 3)), (1, 3)),
    ],
)
def test_a_bound_may_be_its_least_and_its_greatest_value(
    make: Callable[[int], Any], limits: tuple[int, int]
) -> None:
    """By default, where it is set, and where it is drawn; and nothing beyond."""
    least, greatest = limits
    for limit in limits:
        bounds: Any = made(Bounds, "most", make(limit))
        assert [bounds(value).most for value in limits] == [*limits]
        for value in (least - 1, greatest + 1):
            with pytest.raises(ValueError, match="most"):
                bounds(value)


@pytest.mark.parametrize("default", ["a", 1.5, (1,), None])
def test_bounds_are_numbers(default: object) -> None:
    """Of any other default it is said what to write."""
    with pytest.raises(ModellingError, match="expected a number: write `most: int"):
        made(Bounds, "most", default)


def test_a_bound_has_a_type_and_a_default() -> None:
    """Without a type it would be no bound at all."""
    with pytest.raises(ModellingError, match="most is nothing by default"):
        made(Bounds, "most")
    with pytest.raises(ModellingError, match=r"Made\.most says no type"):
        type("Made", (Bounds,), {"most": 3})


@pytest.mark.parametrize("base", [State, Value])
@pytest.mark.parametrize("name", ["_term", "term_", "__term", "_"])
def test_names_of_fields_have_no_underscores_at_their_ends(
    base: type, name: str
) -> None:
    """Engines have attributes of such names."""
    with pytest.raises(ModellingError, match="begins or ends with an underscore"):
        made(base, name, 0)


def test_names_that_no_field_can_have() -> None:
    """They are those of what makes the next state."""
    with pytest.raises(ModellingError, match="no field can have the name self"):
        made(State, "self", 0)
    with pytest.raises(ModellingError, match="no field can have the name evolve"):
        made(Value, "evolve", 0)


@pytest.mark.parametrize("name", sorted(OF_ENGINES))
def test_states_are_made_and_compared_by_their_cells_alone(name: str) -> None:
    """A class that did it otherwise would do so on the naive engine only."""
    with pytest.raises(ModellingError, match=f"Made has {name} of its own"):
        type("Made", (State,), {name: lambda self, *_: True})


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_state_inherits_no_hook(name: str) -> None:
    """Of whatever other class it is derived from."""
    other = type("Other", (), {name: lambda self: None})
    with pytest.raises(ModellingError, match=f"Made has {name} of its own"):
        type("Made", (other, State), {})


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (attrs.field(default=0, converter=abs), "has a converter.*convert where"),
        (attrs.field(default=0, validator=validators.ge(0)), "validator.*model.always"),
        (attrs.field(default=0, init=False), "has init=False.*write a method"),
    ],
)
def test_a_cell_holds_what_it_is_given(field: Any, message: str) -> None:
    """A value may have all that, a state not."""
    with pytest.raises(ModellingError, match=message):
        made(State, "term", field)
    assert "term" in attrs.fields_dict(made(Value, "term", field))


def test_names_of_constants_are_free() -> None:
    """They are no fields."""
    assert vars(made(Value, "_MOST", 3, hint=ClassVar[int]))["_MOST"] == 3


class Greeting(Value):
    """A value with a field."""

    text: str = ""


class Farewell(Greeting):
    """A value with the fields of another, and none of its own."""


class Token(Value):
    """A value without fields."""


class Letters(State):
    """A state with both."""

    said: frozenset[Farewell] = frozenset()
    marks: frozenset[Token] = frozenset()


def test_a_value_needs_no_fields_of_its_own() -> None:
    """It is another one than a value of its base, and is found by its name."""
    assert Farewell("x") != Greeting("x")
    assert Farewell("x") == Farewell("x")
    assert {Token(), Token()} == {Token()}
    named = value_classes(Letters)
    assert {name.partition(":")[2] for name in named} == {
        "Letters",
        "Farewell",
        "Token",
    }
    saved = encode(Letters(frozenset({Farewell("x")}), frozenset({Token()})))
    assert decode(saved, named) == Letters(
        frozenset({Farewell("x")}), frozenset({Token()})
    )
