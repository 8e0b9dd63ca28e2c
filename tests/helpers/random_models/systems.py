"""Random systems: small models drawn by hypothesis, for laws about all engines.

A system is drawn as plain data, a decision tree for each function, so that a failing
example can be read and shrunk. `System.model` turns the data into ordinary functions
that ask, guard and write as those of any model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import field, frozen
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from random_models.cells import (
    BOX_OPERATIONS,
    BOX_QUESTIONS,
    CHOICE_QUESTIONS,
    CONSTANTS,
    PLAIN_QUESTIONS,
    QUEUE_OPERATIONS,
    QUEUE_QUESTIONS,
    RAISING_BOX_OPERATIONS,
    RAISING_BOX_QUESTIONS,
    RAISING_QUEUE_OPERATIONS,
    RAISING_QUEUE_QUESTIONS,
    Amount,
    Box,
    Cell,
    Mixed,
    Place,
    Queue,
)
from random_models.functions_as_data import (
    MANY_AMOUNTS,
    Branch,
    Function,
    KeepsOrder,
    OfAmount,
    OverFamily,
    Raise,
    Read,
    Same,
    StepPredicate,
    Write,
    decide,
    judge_of,
    steps,
)
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.properties import (
    Property,
    always,
    every_step,
    no_deadlock,
    sometimes,
)
from toys import Toy

# A system has many parts, so drawing it takes a while.
slowly = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
meant_to_fail = settings(
    slowly, phases=[Phase.generate], database=None, report_multiple_bugs=False
)
"""Ends a law with the first system that fails it, as found."""
MOST_STATES = 300
"""The level that reaches so many states is the last of a search."""


@frozen
class System:
    """A random system with properties, as data."""

    starts: tuple[Mixed, ...]
    actions: tuple[Function, ...]
    constraints: tuple[Function, ...]
    always: tuple[Function, ...]
    sometimes: tuple[Function, ...]
    steps: tuple[StepPredicate | KeepsOrder, ...]
    asks_for_deadlocks: bool
    amounts: int
    search: Search = field(
        repr=lambda search: f"Search({search.limits}, {search.stop})"
    )

    @property
    def model(self) -> Toy:
        """The model."""
        places = len(self.starts[0].boxes)
        return Toy(
            [action.made(f"act_{i}", steps) for i, action in enumerate(self.actions)],
            self.starts,
            [
                constraint.made(f"cut_{i}", decide)
                for i, constraint in enumerate(self.constraints)
            ],
            {
                Place: tuple(Place(place) for place in range(places)),
                Amount: tuple(Amount(amount) for amount in range(self.amounts)),
            },
        )

    @property
    def properties(self) -> list[Property]:
        """The properties, those about states first."""
        found = [always(f.made(f"a_{i}", decide)) for i, f in enumerate(self.always)]
        found += [
            sometimes(f.made(f"s_{i}", decide)) for i, f in enumerate(self.sometimes)
        ]
        found += [every_step(judge_of(f"t_{i}", c)) for i, c in enumerate(self.steps)]
        return found + [no_deadlock()] * self.asks_for_deadlocks


def pick(draw: Any, *choices: Any) -> Any:
    """Draw one of the choices."""
    return draw(st.sampled_from(choices))


@frozen
class Drawing:
    """Draws the parts of one system: which cells it has, and whether it may raise."""

    draw: Any
    starts: tuple[Mixed, ...]
    may_raise: bool

    def cell(self, *names: str, place: bool) -> Cell:
        """A cell of some of the fields, perhaps at the place at hand."""
        name = pick(self.draw, *names)
        family = getattr(self.starts[0], name)
        if name == "queues":
            inner = pick(self.draw, *range(len(family[0])))
            return Cell(name, (self._index(family, place), inner))
        index = (self._index(family, place),) if isinstance(family, tuple) else ()
        return Cell(name, index)

    def _index(self, family: tuple[Any, ...], place: bool) -> int | None:
        at_hand: tuple[int | None, ...] = (None,) * (3 * place)
        found: int | None = pick(self.draw, *at_hand, *range(len(family)))
        return found

    def read(self, cell: Cell) -> Read:
        """A question to the cell."""
        questions: Any = {
            "box": BOX_QUESTIONS + RAISING_BOX_QUESTIONS * self.may_raise,
            "boxes": BOX_QUESTIONS + RAISING_BOX_QUESTIONS * self.may_raise,
            "queues": QUEUE_QUESTIONS + RAISING_QUEUE_QUESTIONS * self.may_raise,
            "choice": CHOICE_QUESTIONS,
        }.get(cell.name, PLAIN_QUESTIONS)
        question, answers = pick(self.draw, *questions)
        return Read(cell, question, pick(self.draw, *answers))

    def test(self, place: bool, amount: bool = False) -> Any:
        """The test of a branch."""
        kind = pick(self.draw, *["one"] * 6, "family", "same", *["amount"] * amount)
        if kind == "amount":
            return OfAmount(pick(self.draw, 1, 2, 20))
        if kind == "family":
            question, answers = pick(self.draw, *BOX_QUESTIONS)
            return OverFamily(
                question, pick(self.draw, *answers), pick(self.draw, any, all)
            )
        if kind == "same":
            names = pick(self.draw, ("box", "boxes"), ("number", "numbers"))
            return Same(self.cell(*names, place=place), self.cell(*names, place=place))
        return self.read(self.cell(*CONSTANTS, place=place))

    def tree(self, depth: int, takes: str, leaf: Callable[[], Any]) -> Any:
        """A decision tree."""
        if depth == 0 or pick(self.draw, False, False, False, True):
            if self.may_raise and pick(self.draw, *[False] * 6, True):
                return Raise()
            return leaf()
        return Branch(
            self.test(takes == "a place", takes == "an amount"),
            self.tree(depth - 1, takes, leaf),
            self.tree(depth - 1, takes, leaf),
        )

    def write(self, place: bool) -> Write:
        """A write."""
        cell = self.cell(*CONSTANTS, place=place)
        operations = {
            "box": BOX_OPERATIONS + RAISING_BOX_OPERATIONS * self.may_raise,
            "boxes": BOX_OPERATIONS + RAISING_BOX_OPERATIONS * self.may_raise,
            "queues": QUEUE_OPERATIONS + RAISING_QUEUE_OPERATIONS * self.may_raise,
        }.get(cell.name)
        kind = pick(self.draw, "constant", "copy", *["operations"] * 4)
        if kind == "operations" and operations is not None:
            chain = [pick(self.draw, *operations)]
            chain += [pick(self.draw, *operations)] * pick(self.draw, 0, 0, 0, 1, 2)
            return Write(cell, operations=tuple(chain))
        if kind == "copy":
            alike = {"box": ("box", "boxes"), "boxes": ("box", "boxes")}
            names = alike.get(cell.name, (cell.name,))
            return Write(cell, copy=self.cell(*names, place=place))
        return Write(cell, pick(self.draw, *CONSTANTS[cell.name]))

    def action(self) -> Function:
        """An action."""
        takes = pick(self.draw, "nothing", "a place", "a place", "an amount")

        def leaf() -> tuple[tuple[Write, ...], ...]:
            return tuple(
                tuple(
                    self.write(takes == "a place")
                    for _ in range(pick(self.draw, 1, 1, 2, 3, 0))
                )
                for _ in range(pick(self.draw, 0, 1, 1, 1, 2))
            )

        return Function(takes, self.tree(4, takes, leaf))

    def driver(self) -> Function:
        """An action that is enabled nearly everywhere, so that spaces grow."""
        takes = pick(self.draw, "nothing", "a place")
        names = pick(self.draw, "box", "boxes", "queues", "queues")
        cell = self.cell(names, place=takes == "a place")
        operations = BOX_OPERATIONS[:3] if names != "queues" else QUEUE_OPERATIONS
        step = (Write(cell, operations=(pick(self.draw, *operations),)),)
        if pick(self.draw, False, True):
            return Function(takes, (step,))
        return Function(takes, Branch(self.test(takes == "a place"), (step,), ()))

    def predicate(self, *leaves: bool) -> Function:
        """A predicate with these leaves, the first where most answers lead."""
        takes = pick(self.draw, "nothing", "a place")
        tree = self.tree(3, takes, lambda: pick(self.draw, *leaves))
        return Function(takes, tree)

    def step_predicate(self) -> StepPredicate:
        """A step property, which begins with `is`."""
        read = self.read(self.cell(*CONSTANTS, place=True))
        tree = self.tree(2, "a place", lambda: pick(self.draw, True, True, False))
        return StepPredicate(read, tree)

    def several(self, most: int, part: Callable[[], Any]) -> tuple[Any, ...]:
        """None or some of such parts."""
        return tuple(part() for _ in range(pick(self.draw, *range(most + 1))))


@st.composite
def starts(draw: Any) -> tuple[Mixed, ...]:
    """Draw initial states of one shape."""
    places, inner = pick(draw, 1, 2, 3), pick(draw, 1, 2)
    return tuple(
        Mixed(
            constant=7,
            number=0,
            choice=pick(draw, None, "a"),
            box=Box(),
            boxes=tuple(Box(pick(draw, 0, 1)) for _ in range(places)),
            queues=((Queue(),) * inner,) * places,
            numbers=(0,) * places,
        )
        for _ in range(pick(draw, 1, 1, 2, 3))
    )


@st.composite
def searches(draw: Any) -> Search:
    """Draw how far a search goes."""
    limits = Limits(
        states=pick(draw, MOST_STATES, MOST_STATES, 3, 20),
        depth=pick(draw, None, None, None, 1, 4),
    )
    return Search(limits, pick(draw, Stop.DECIDED, Stop.FIRST_VIOLATION))


@st.composite
def systems(draw: Any) -> System:
    """Draw a system."""
    parts = Drawing(draw, draw(starts()), pick(draw, False, False, True))
    rare = (True,) * 9 + (False,)
    return System(
        starts=parts.starts,
        actions=(
            *parts.several(3, parts.driver),
            parts.action(),
            *parts.several(3, parts.action),
        ),
        constraints=parts.several(1, lambda: parts.predicate(*rare)),
        always=parts.several(2, lambda: parts.predicate(*rare)),
        sometimes=parts.several(2, lambda: parts.predicate(False, True)),
        steps=parts.several(2, parts.step_predicate),
        asks_for_deadlocks=pick(draw, False, True),
        amounts=pick(draw, 1, 2, MANY_AMOUNTS),
        search=draw(searches()),
    )
