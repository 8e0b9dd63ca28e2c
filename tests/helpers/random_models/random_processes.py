"""Random processes: systems whose actions are mostly independent of each other.

Each process has a number, where it is, and goes from one to the next; on its way it may
change what others look at, put items into their queues and take from its own. What is
spent of a budget is gone. A reduction finds much to leave out here, and much to miss.
"""

from __future__ import annotations

from typing import Any, Self

from attrs import evolve, frozen
from hypothesis import strategies as st

from random_models.cells import Box, Cell, Mixed, Question, Queue, attribute, method
from random_models.functions_as_data import (
    Branch,
    Function,
    KeepsOrder,
    Read,
    StepPredicate,
    Write,
)
from random_models.systems import System, pick
from replicheck.explorer.engine import Limits, Search, Stop

EVERYTHING = Search(Limits(), Stop.EXHAUSTED)
WHOLE = Question()
NEXT_OPERATIONS = (method("pop"), method("append", 1))
"""What may be done to a queue in the step that takes its head."""


@frozen
class Line(Queue):
    """A queue without end, which says what is done at its head and at its end."""

    SEQUENCE = "items"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"head", "is_empty", "pop", "pop_first", "first"})
    TRUE_OF_OPERATIONS = frozenset({"keeps_order_in"})

    def is_empty(self) -> bool:
        """Tell whether there is no item."""
        return not self.items

    def append(self, item: int) -> Self:
        """Add an item at the end."""
        return evolve(self, items=(*self.items, item))


@frozen
class CommutingBox(Box):
    """A box that says which of its operations may be done in any order."""

    COMMUTING = frozenset({"add", "flip"})


@frozen
class Processes:
    """Draws the parts of one system of processes."""

    draw: Any
    count: int

    def place(self) -> int:
        """Draw a process."""
        return int(pick(self.draw, *range(self.count)))

    def read(self) -> Read:
        """Draw a question that a process may ask of what others write."""
        place = self.place()
        return Read(
            *pick(
                self.draw,
                (Cell("number"), WHOLE, pick(self.draw, 0, 1, 2)),
                (Cell("box"), attribute("flag"), pick(self.draw, False, True)),
                (Cell("box"), attribute("number"), pick(self.draw, 0, 1, 2)),
                (Cell("boxes", (place,)), attribute("number"), pick(self.draw, 0, 1)),
                (Cell("boxes", (place,)), attribute("flag"), True),
                (Cell("queues", (place, 0)), attribute("head"), pick(self.draw, 0, 1)),
                (Cell("queues", (place, 0)), method("has", 1), True),
                (Cell("numbers", (place,)), WHOLE, pick(self.draw, 0, 1, 2)),
            )
        )

    def write(self, process: int) -> Write:
        """Draw what a process changes."""
        place = self.place()
        found: Write = pick(
            self.draw,
            Write(Cell("box"), operations=(method("flip"),)),
            Write(Cell("box"), operations=(method("add", 1),)),
            Write(Cell("box"), operations=(method("put", 2),)),
            Write(Cell("boxes", (process,)), operations=(method("add", 1),)),
            Write(Cell("boxes", (place,)), operations=(method("flip"),)),
            Write(
                Cell("queues", (place, 0)),
                operations=(method("append", pick(self.draw, 0, 1)),),
            ),
            Write(
                Cell("queues", (place, 0)),
                operations=(method("pop"), pick(self.draw, *NEXT_OPERATIONS)),
            ),
        )
        return found

    def step(self, process: int, at: int) -> Function:
        """Draw an action of a process that is at a number."""
        here = Cell("numbers", (process,))
        to = pick(self.draw, at + 1, at + 1, at + 1, at + 2, 0)
        leaf: list[Write] = [Write(here, to)]
        mine = Cell("queues", (process, 0))
        tests = [Read(here, WHOLE, at)]
        kind = pick(self.draw, "free", "free", "spend", "take", "guarded", "stay")
        if to <= at or kind == "spend":
            left = pick(self.draw, 0, 1)
            tests.append(Read(Cell("number"), WHOLE, left))
            leaf.append(Write(Cell("number"), left + 1))
        elif kind == "take":
            tests.append(Read(mine, attribute("head"), pick(self.draw, 0, 1)))
            leaf.append(Write(mine, operations=(method("pop"),)))
        elif kind == "guarded":
            tests.append(self.read())
        elif kind == "stay":
            tests.append(self.read())
            leaf[0] = Write(here, at)
        several = pick(self.draw, 0, 1, 1)
        leaf += [self.write(process) for _ in range(several)]
        steps: Any = (tuple(leaf),)
        if pick(self.draw, *[False] * 5, True):
            steps = (*steps, (Write(here, at + 1),))
        for test in reversed(tests):
            steps = Branch(test, steps, ())
        return Function("nothing", steps)

    def predicate(self, usual: bool) -> Function:
        """Draw a predicate that is as usual unless two or three things are so."""
        tree: Any = not usual
        for _ in range(pick(self.draw, 1, 2, 2, 3)):
            tree = Branch(self.read(), tree, usual)
        return Function("nothing", tree)

    def clause(self) -> StepPredicate | KeepsOrder:
        """Draw a step property: order in a queue, or what a change asks for."""
        if pick(self.draw, False, True):
            return KeepsOrder(Cell("queues", (self.place(), 0)))
        return StepPredicate(self.read(), Branch(self.read(), False, True))


@st.composite
def processes(draw: Any) -> System:
    """Draw a system of processes, to be searched whole."""
    count = pick(draw, 2, 2, 3, 3, 4)
    parts = Processes(draw, count)
    kind, box = (
        pick(draw, Line, Line, Queue),
        pick(draw, CommutingBox, CommutingBox, Box),
    )
    start = Mixed(
        constant=7,
        number=0,
        choice=None,
        box=box(),
        boxes=(box(),) * count,
        queues=((kind(pick(draw, (), (1,), (0, 1))),),) * count,
        numbers=(0,) * count,
    )
    actions = [
        parts.step(process, at)
        for process in range(count)
        for at in range(pick(draw, 1, 2, 3))
    ]
    return System(
        starts=(start,),
        actions=tuple(actions),
        constraints=(),
        always=tuple(parts.predicate(True) for _ in range(pick(draw, 0, 1, 1, 2))),
        sometimes=tuple(parts.predicate(False) for _ in range(pick(draw, 0, 1, 1, 2))),
        steps=tuple(parts.clause() for _ in range(pick(draw, 0, 1))),
        asks_for_deadlocks=pick(draw, False, True),
        amounts=1,
        search=EVERYTHING,
    )
