"""Random systems of queues as users of `replicheck.modelling` write them.

An action asks two queues something each, and changes them if it gets the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import attrs
from attrs import frozen
from hypothesis import strategies as st

from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.properties import always, no_deadlock, sometimes
from replicheck.modelling import Queue, State
from toys import Toy

ITEMS = (0, 1)
LOSSY_ROOM = 3
NO_END = 1 << 30
MOST_STATES = 400
"""The level that reaches so many states is the last of a search."""


class ClosableQueue(Queue[int]):
    """A queue with fields beside it, one of which is asked."""

    is_closed: bool = False
    seen: frozenset[int] = frozenset()

    def close(self) -> Self:
        """Close it, or open it again."""
        return self.evolve(is_closed=not self.is_closed)

    def see(self) -> Self:
        """Note the oldest item."""
        return self.evolve(seen=self.seen | {self.items[0]})


class LossyQueue(Queue[int]):
    """A queue that loses what finds it full."""

    def append(self, item: int) -> Self:
        """Put an item behind all others, if there is room."""
        return super().append(item) if self.has_room(LOSSY_ROOM) else self


class ShortQueue(Queue[int]):
    """A queue that cannot be longer than its room: to append more raises."""

    items: tuple[int, ...] = attrs.field(
        default=(), validator=attrs.validators.max_len(LOSSY_ROOM)
    )


class Queues(State):
    """Two queues of one class."""

    pair: tuple[Queue[int], Queue[int]]


Ask = Callable[[Any], Any]
QUESTIONS: tuple[tuple[str, Ask], ...] = (
    ("is not asked", lambda queue: True),
    ("has items", lambda queue: queue.has_items()),
    ("is true", bool),
    ("has room", lambda queue: queue.has_room(2)),
    ("is empty", lambda queue: queue.is_empty()),
    ("begins with 0", lambda queue: bool(queue) and queue.first() == 0),
    ("begins with 0 or raises", lambda queue: queue.first() == 0),
    ("ends with 1", lambda queue: len(queue) > 0 and queue[-1] == 1),
    ("has 1", lambda queue: 1 in queue),
    ("has a tuple that begins with 1", lambda queue: queue.items[:1] == (1,)),
    ("has an empty tuple", lambda queue: not queue.items),
)
OPERATIONS: tuple[tuple[str, Ask], ...] = (
    ("append 0", lambda queue: queue.append(0)),
    ("append 1", lambda queue: queue.append(item=1)),
    ("append 1 and 0", lambda queue: queue.append(1).append(0)),
    ("pop", lambda queue: queue.pop()),
    ("pop and append", lambda queue: queue.pop().append(0)),
    ("append the first", lambda queue: queue.append(queue.first())),
    ("add to the tuple", lambda queue: queue.evolve(items=queue.items + (1,))),  # noqa: RUF005 - the other way of writing it
    ("cut the tuple", lambda queue: queue.evolve(items=queue.items[1:])),
)
OF_A_CLOSABLE_QUEUE: tuple[tuple[str, Ask], ...] = (
    ("close", lambda queue: queue.close()),
    ("see", lambda queue: queue.see() if queue.items else queue),
)


@frozen
class Change:
    """An action: what it asks of each queue, and what it makes of some of them."""

    questions: tuple[tuple[str, Ask], tuple[str, Ask]]
    answers: tuple[bool, bool]
    writes: tuple[tuple[int, tuple[str, Ask]], ...]
    room: int = NO_END
    """Only where there are fewer items, a queue gets more."""

    def steps(self, state: Queues) -> Iterator[Queues]:
        """The step, if each queue gives its answer."""
        for queue, (_, ask), answer in zip(
            state.pair, self.questions, self.answers, strict=True
        ):
            if ask(queue) is not answer:
                return
        for at, (name, _) in self.writes:
            is_growth = "append" in name or "add" in name
            if is_growth and not state.pair[at].has_room(self.room):
                return
        yield state.evolve(
            pair={at: change(state.pair[at]) for at, (_, change) in self.writes}
        )

    def holds(self, state: Queues) -> bool:
        """Tell whether each queue gives its answer."""
        return all(
            ask(queue) is answer
            for queue, (_, ask), answer in zip(
                state.pair, self.questions, self.answers, strict=True
            )
        )


@frozen
class QueueSystem:
    """A random system of two queues, as data."""

    kind: type[Queue[int]]
    begin: tuple[int, ...]
    changes: tuple[Change, ...]

    @property
    def model(self) -> Toy:
        """The model."""
        start = Queues((self.kind(self.begin), self.kind()))
        return Toy(
            [_named(change.steps, at) for at, change in enumerate(self.changes)],
            [start],
        )

    @property
    def properties(self) -> list[Any]:
        """A property of either kind, and one of deadlocks."""
        first, *_, last = self.changes
        return [
            always(_named(first.holds, 0)),
            sometimes(_named(last.holds, 1)),
            no_deadlock(),
        ]

    search = Search(Limits(states=MOST_STATES), Stop.EXHAUSTED)


def _named(method: Callable[[Queues], Any], at: int) -> Any:
    def function(state: Queues) -> Any:
        return method(state)

    function.__name__ = f"{method.__name__}_{at}"
    return function


@st.composite
def systems_of_own_queues(draw: Any, room: int = NO_END) -> QueueSystem:
    """Draw a system whose first actions append, so that there are many values."""
    kind = draw(st.sampled_from([Queue, ClosableQueue, LossyQueue, ShortQueue]))
    operations = OPERATIONS + OF_A_CLOSABLE_QUEUE * (kind is ClosableQueue)
    asked = st.sampled_from(QUESTIONS)
    change = st.builds(
        Change,
        st.tuples(asked, asked),
        st.tuples(st.booleans(), st.booleans()),
        st.lists(
            st.tuples(st.sampled_from((0, 1)), st.sampled_from(operations)),
            min_size=1,
            max_size=2,
            unique_by=lambda write: write[0],
        ).map(tuple),
        st.just(room),
    )
    growth = tuple(
        Change((QUESTIONS[0],) * 2, (True, True), ((0, OPERATIONS[item]),), room)
        for item in ITEMS
    )
    changes = draw(st.lists(change, min_size=1, max_size=5))
    begin = draw(st.sampled_from([(), (1,), (0, 1)]))
    return QueueSystem(kind, begin, (*growth, *changes))
