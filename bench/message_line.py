"""A model whose queue has many values: messages in line, one at work, one answer.

``replicheck check bench/message_line.py --threads 1 --no-cache`` searches 1,417,168
states with 88,573 values of the queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import (
    Bounds,
    Id,
    Model,
    Optional,
    Queue,
    State,
    bound,
    constant,
)


class Kind(Id):
    """What a message is about."""


class Sizes(Bounds):
    """How many kinds of messages there are, and how many may wait."""

    kinds: int = bound(3, at_least=1)
    room: int = bound(10, at_least=1)


class Line(State):
    """The messages that wait, the one at work, and the answer to one before."""

    bounds: Sizes = constant()
    waiting: Queue[Kind] = Queue()
    at_work: Optional[Kind] = Optional()
    answer: Optional[Kind] = Optional()


model = Model("message-line", Sizes, {Kind: "kinds"})


@model.initial
def nothing_waits(bounds: Sizes) -> Line:
    """Nothing was sent yet."""
    return Line(bounds)


@model.action
def send(s: Line, kind: Kind) -> Iterator[Line]:
    """Put a message in line."""
    if s.waiting.has_room(s.bounds.room):
        yield s.evolve(waiting=s.waiting.append(kind))


@model.action
def begin(s: Line) -> Iterator[Line]:
    """Begin with the message that has waited longest."""
    if s.waiting.has_items() and not s.at_work.is_there():
        message = s.waiting.first()
        yield s.evolve(waiting=s.waiting.pop(), at_work=s.at_work.set(message))


@model.action
def finish(s: Line, kind: Kind) -> Iterator[Line]:
    """Answer the message at work, once the answer before it was read."""
    if s.at_work.equals(kind) and not s.answer.is_there():
        yield s.evolve(at_work=s.at_work.clear(), answer=s.answer.set(kind))


@model.action
def read(s: Line) -> Iterator[Line]:
    """Read the answer."""
    if s.answer.is_there():
        yield s.evolve(answer=s.answer.clear())


@model.always
def the_line_is_no_longer_than_its_room(s: Line) -> bool:
    """No message is sent that has no room."""
    return s.waiting.size() <= s.bounds.room
