"""Queues written by append operations, with tens of thousands of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NewType, Self

import numpy as np
import pytest
from attrs import evolve, frozen

from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.properties import sometimes
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.model.state_base import Cells
from toys import Toy

Kind = NewType("Kind", int)
KINDS = tuple(Kind(kind) for kind in range(3))
ROOM = 9
VALUES = (len(KINDS) ** (ROOM + 1) - 1) // (len(KINDS) - 1)


@frozen
class BoundedQueue:
    """What was sent over a connection and not received yet."""

    messages: tuple[Kind, ...] = ()

    @property
    def has_room(self) -> bool:
        """Tell whether one more may be sent."""
        return len(self.messages) < ROOM

    @property
    def head(self) -> Kind | None:
        """The kind of the message that is received next."""
        return self.messages[0] if self.messages else None

    def append(self, kind: Kind) -> Self:
        """The queue with a message at its end."""
        return evolve(self, messages=(*self.messages, kind))

    def pop(self) -> Self:
        """The queue without its head."""
        return evolve(self, messages=self.messages[1:])


@frozen
class Connection(Cells):
    """A connection with nothing but its queue."""

    queue: BoundedQueue = BoundedQueue()


def send(state: Connection, kind: Kind) -> Iterator[Connection]:
    """Send a message."""
    if state.queue.has_room:
        yield state.evolve(queue=state.queue.append(kind))


def receive(state: Connection, kind: Kind) -> Iterator[Connection]:
    """Receive the next message, if it is of this kind."""
    if state.queue.head == kind:
        yield state.evolve(queue=state.queue.pop())


def a_full_queue_waits_for_the_last_kind(state: Connection) -> bool:
    """There is no room, and what was sent first is of the last kind."""
    return not state.queue.has_room and state.queue.head == KINDS[-1]


MODEL = Toy((send, receive), (Connection(),), domains={Kind: KINDS})


def test_a_queue_with_tens_of_thousands_of_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Actions run a few times; each value is asked and changed once in each way."""
    claims = [sometimes(a_full_queue_waits_for_the_last_kind)]
    expected = Naive().explore(MODEL, claims)
    calls: Counter[tuple[str, object]] = Counter()

    def counted(name: str) -> None:
        plain = getattr(BoundedQueue, name)

        def method(queue: BoundedQueue, *arguments: Kind) -> BoundedQueue:
            calls[name, (queue, arguments)] += 1
            changed: BoundedQueue = plain(queue, *arguments)
            return changed

        method.__annotations__["return"] = "Self"
        monkeypatch.setattr(BoundedQueue, name, method)

    counted("append")
    counted("pop")
    report = BreadthFirst(threads=2).explore(MODEL, claims)
    assert report == expected
    statistics = report.statistics
    assert statistics.values is not None
    assert statistics.values["queue"] == VALUES == 29_524
    assert statistics.breadth_first is not None
    functions = statistics.breadth_first.functions.values()
    assert sum(function.runs for function in functions) < 100
    assert sum(calls.values()) < 1.001 * len(calls)
    appended = sum(name == "append" for name, _ in calls)
    assert appended == len(KINDS) * (VALUES - len(KINDS) ** ROOM)


def test_an_append_is_hashed_like_the_whole_queue() -> None:
    """The hash of what was there before is taken up; the result is the same."""
    taken_up = Hasher()
    for length in range(ROOM):
        messages = (KINDS * ROOM)[:length]
        assert taken_up.value(messages) == Hasher().value(messages)


def test_an_answer_that_values_with_one_head_do_not_share_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of those that share an answer is asked, each time that they are."""
    answers = [False]
    monkeypatch.setattr(BoundedQueue, "drifts", lambda queue: answers[0], raising=False)
    learner = Learner(MODEL, ())
    for kinds in product(KINDS, repeat=4):
        learner.dictionaries[0].number(BoundedQueue(kinds))
    lookup = learner.tables.queries[learner.tables.query(0, ("drifts", ()))][1]
    learner.tables.arrays()
    learner.evaluator.at(np.arange(lookup.start, lookup.start + 40))
    answers[0] = True
    with pytest.raises(ModelError, match="does not read what it depends on"):
        learner.evaluator.at(np.arange(lookup.start + 40, lookup.start + 80))
