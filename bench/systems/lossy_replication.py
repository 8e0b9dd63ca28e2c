"""A primary and its backups, and a network that loses messages.

The messages in flight are a set. An action loops over all of them, and receives or
loses each.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound, constant


class Backup(Id):
    """One of those that follow the primary."""


class Size(Bounds):
    """How many backups, writes, losses, and messages in flight."""

    backups: int = bound(2, at_least=1)
    writes: int = bound(3, at_least=1)
    losses: int = bound(2)
    in_flight: int = bound(12, at_least=1)


class Append(Value):
    """A write on its way to a backup."""

    backup: Backup
    number: int


class Answer(Value):
    """A backup has a write, which the primary does not know yet."""

    backup: Backup
    number: int


Messages = frozenset[Append | Answer]


class Replication(State):
    """How many writes the primary and each backup has, and what is in flight."""

    size: Size = constant()
    written: int
    lengths: tuple[int, ...]
    acknowledged: frozenset[Answer] = frozenset()
    network: Messages = Messages()
    lost: int = 0


model = Model("lossy_replication", Size, {Backup: "backups"})


@model.initial
def nothing_is_written(size: Size) -> Replication:
    """No write, no message."""
    return Replication(size, 0, (0,) * size.backups)


@model.constraint
def network_has_room(s: Replication) -> bool:
    """No more messages are in flight than the bounds say."""
    return len(s.network) <= s.size.in_flight


@model.action
def write(s: Replication) -> Iterator[Replication]:
    """The primary has another write."""
    if s.written < s.size.writes:
        yield s.evolve(written=s.written + 1)


@model.action
def send(s: Replication, backup: Backup) -> Iterator[Replication]:
    """The primary sends what a backup has not acknowledged, or sends it again."""
    for number in range(1, s.written + 1):
        if Answer(backup, number) not in s.acknowledged:
            yield s.evolve(network=s.network | {Append(backup, number)})


@model.action
def receive(s: Replication) -> Iterator[Replication]:
    """Any message arrives: a backup appends the next write, and answers."""
    for message in sorted(s.network, key=repr):
        rest = s.network - {message}
        match message:
            case Append(backup=backup, number=number):
                length = s.lengths[backup]
                if number == length + 1:
                    length = number
                if number <= length:
                    rest |= {Answer(backup, number)}
                yield s.evolve(lengths={backup: length}, network=rest)
            case Answer():
                yield s.evolve(acknowledged=s.acknowledged | {message}, network=rest)


@model.action
def lose(s: Replication) -> Iterator[Replication]:
    """Any message is lost, as often as the bounds say."""
    if s.lost < s.size.losses:
        for message in sorted(s.network, key=repr):
            yield s.evolve(network=s.network - {message}, lost=s.lost + 1)


@model.always
def acknowledged_writes_are_there(s: Replication) -> bool:
    """A backup has each write that it acknowledged."""
    return all(s.lengths[answer.backup] >= answer.number for answer in s.acknowledged)


@model.sometimes
def all_is_acknowledged(s: Replication) -> bool:
    """Each backup acknowledges each write."""
    return len(s.acknowledged) == s.size.backups * s.size.writes
