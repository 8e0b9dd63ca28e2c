"""Numbered mail: messages of some senders arrive in any order.

They are plain tuples in a plain set, and the action that receives any of them sorts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound, constant


class Sender(Id):
    """One of those that send."""


class Size(Bounds):
    """How many senders, and how many messages each of them numbers."""

    senders: int = bound(7, at_least=1)
    messages: int = bound(2, at_least=1)


class Mail(State):
    """The messages on their way: who sent them, and their numbers."""

    size: Size = constant()
    on_the_way: frozenset[tuple[Sender, int]] = frozenset()


model = Model("numbered-mail", Size, {Sender: "senders"})


@model.initial
def nothing_is_sent(size: Size) -> Mail:
    """No message is on its way."""
    return Mail(size)


@model.action
def send(s: Mail, sender: Sender) -> Iterator[Mail]:
    """A sender sends any message of its own that is not on its way."""
    for number in range(s.size.messages):
        if (sender, number) not in s.on_the_way:
            yield s.evolve(on_the_way=s.on_the_way | {(sender, number)})


@model.action
def receive(s: Mail) -> Iterator[Mail]:
    """Any message arrives."""
    for message in sorted(s.on_the_way):
        yield s.evolve(on_the_way=s.on_the_way - {message})


@model.sometimes
def all_is_on_its_way(s: Mail) -> bool:
    """Nothing has arrived yet."""
    return len(s.on_the_way) == s.size.senders * s.size.messages
