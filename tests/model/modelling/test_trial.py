"""What is wrong in the first state of a model is told before a search begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from replicheck.explorer import instances
from replicheck.model.modelling import trial
from replicheck.model.modelling.instantiation import try_out
from replicheck.modelling import (
    Map,
    Model,
    ModellingError,
    Optional,
    Queue,
    State,
    Value,
    constant,
)


class Log(Value):
    """A log with the terms of its entries."""

    terms: tuple[int, ...] = ()


class Replica(State):
    """A replica."""

    log: Log = Log()
    requests: Queue[int] = Queue()
    lease: Optional[int] = Optional()
    term: Any = 0
    votes: Map[int, int] = Map()


def model_with(step: Callable[[Replica], Iterator[Any]]) -> Model[Any]:
    """A model with one action."""
    model: Model[Any] = Model("replica")
    model.initial(lambda bounds: Replica())
    model.action(step)
    return model


class Position(NamedTuple):
    """What a state would take for two cells."""

    row: int
    column: int


GIVEN: list[tuple[dict[str, Any], str]] = [
    ({"term": [1]}, "gives term a list, which can change: use a tuple where"),
    ({"term": {1}}, "gives term a set, which can change: use a frozenset"),
    ({"term": 0.5}, "gives term a float, which has no canonical form: use an int"),
    ({"term": (1, (0.5,))}, "gives term a tuple with a float in it, which has no"),
    ({"term": object()}, "gives term an object, which has no canonical form"),
    ({"log": Log((1, [2]))}, "gives log a Log with a list in it, which can"),  # type: ignore[arg-type]
    ({"requests": Queue(([],))}, "gives requests a Queue with a list in it"),
    ({"term": Position(0, 1)}, "gives term a Position, a named tuple, and a state has"),
    ({"term": (1, Position(0, 1))}, "derive Position from Value of replicheck.model"),
    ({"lease": 3}, "gives lease an int where an Optional was, but a cell keeps"),
    (
        {"requests": [1]},
        "gives requests a list, and requests is a Queue: write",
    ),
    ({"votes": {1: 2}}, r"such as `votes=s\.votes\.put\(key, value\)`"),
    ({"log": None}, "gives log nothing where a Log was, but a cell keeps"),
    ({"term": Log()}, "gives term a Log where an int was, but a cell keeps"),
]


@pytest.mark.parametrize(("cells", "message"), GIVEN)
def test_what_no_cell_can_hold(cells: dict[str, Any], message: str) -> None:
    """A part of a value is told with the value."""

    def give(s: Replica) -> Iterator[Replica]:
        yield s.evolve(**cells)

    with pytest.raises(ModellingError, match=message):
        try_out(model_with(give))


def test_an_action_without_end() -> None:
    """It is not waited for."""

    def count(s: Replica) -> Iterator[Replica]:
        while True:
            yield s.evolve(term=1)

    assert trial.MOST_STEPS == instances.MOST_STEPS
    with pytest.raises(ModellingError, match="count yields more than 100,000 next"):
        try_out(model_with(count))


def test_a_claim_is_tried_behind_one_that_raises() -> None:
    """What the first raises is told by the search; the second is wrong itself."""

    def stay(s: Replica) -> Iterator[Replica]:
        yield s

    def is_decided(s: Replica) -> bool:
        return s.log.terms[0] > 0

    def terms(s: Replica) -> Any:
        return s.log.terms

    model = model_with(stay)
    model.always(is_decided)
    model.always(terms)
    with pytest.raises(ModellingError, match="terms returns a tuple, expected True or"):
        try_out(model)


class Weighted(State):
    """A state with a constant, which is no cell."""

    weights: Any = constant(default=(0.5, 0.5))
    term: int = 0


def test_what_a_constant_can_hold() -> None:
    """Whatever never changes."""

    def end(s: Weighted) -> Iterator[Weighted]:
        yield s.evolve(term=1)

    model: Model[Any] = Model("weighted")
    model.initial(lambda bounds: Weighted())
    model.action(end)
    try_out(model)
    model.initials = {"listed": lambda bounds: Weighted(weights=[1])}
    with pytest.raises(ModellingError, match="gives weights a list, which can change"):
        try_out(model)


def test_what_a_cell_can_hold() -> None:
    """Whatever is in it, it may be so."""

    def give(s: Replica) -> Iterator[Replica]:
        for term in (None, True, "x", b"x", (1, None), frozenset({(1, "x")})):
            yield s.evolve(term=term)
        yield s.evolve(log=Log((1, 2)), requests=s.requests.append(3))
        yield s.evolve(term=frozenset({Position(0, 1)}))

    try_out(model_with(give))


class Strokes(Value):
    """A value with a field that can change."""

    marks: list[int]


class Urn(Value):
    """A value that has one in a tuple."""

    tallies: tuple[Strokes, ...] = ()
    next: Urn | None = None


class Hall(State):
    """A state that has one in an optional."""

    urn: Optional[Urn] = Optional()


def test_a_field_of_a_value_that_can_change() -> None:
    """It is refused wherever the value is in a state, as a field of the state is."""
    model: Model[Any] = Model("hall")
    model.initial(lambda bounds: Hall())
    model.action(lambda s: (yield s))
    with pytest.raises(ModellingError, match=r"Strokes\.marks holds a list"):
        try_out(model)


RUNS = 0


def counts_globally(s: Replica) -> Iterator[Replica]:
    """It counts its runs in the file."""
    global RUNS
    RUNS += 1
    yield s


def counts_in_another_function(s: Replica) -> Iterator[Replica]:
    """A function within it counts."""

    def count() -> None:
        global RUNS
        RUNS += 1

    count()
    yield s


def test_an_action_that_assigns_a_variable_outside_of_it() -> None:
    """In the file, or in a function around it; the variable is named, and the line."""
    runs = 0

    def counts_around(s: Replica) -> Iterator[Replica]:
        nonlocal runs
        runs += 1
        yield s

    for action in (counts_globally, counts_in_another_function, counts_around):
        name = "runs" if action is counts_around else "RUNS"
        with pytest.raises(ModellingError, match=f"assigns {name}, a variable") as told:
            try_out(model_with(action))
        assert f"test_trial.py:{action.__code__.co_firstlineno}" in str(told.value)
    assert (runs, RUNS) == (0, 0)


def test_a_claim_that_assigns_a_variable_outside_of_it() -> None:
    """Each function of states is looked at."""

    def is_seldom_asked(s: Replica) -> bool:
        global RUNS
        RUNS += 1
        return RUNS < 100

    def stay(s: Replica) -> Iterator[Replica]:
        yield s

    model = model_with(stay)
    model.always(is_seldom_asked)
    with pytest.raises(ModellingError, match="is_seldom_asked assigns RUNS"):
        try_out(model)


def test_a_function_may_assign_variables_of_its_own() -> None:
    """Also where a function within it does, as long as both end together."""

    def counts_its_items(s: Replica) -> Iterator[Replica]:
        total = 0

        def count() -> None:
            nonlocal total
            total += 1

        count()
        yield s.evolve(term=total)

    try_out(model_with(counts_its_items))
