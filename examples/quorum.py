"""A quorum like KRaft's: voters elect a leader, which commits what a majority has.

A leader commits only what ends in its own epoch; not so with `--protocol eager`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from replicheck.modelling import Bounds, Id, Model, State, Value, bound, constant


class Voter(Id):
    """One that votes and has a log."""


class Size(Bounds):
    """How many voters there are, how many elections, and how long logs are."""

    voters: int = bound(3, at_least=1, fuzz=(1, 3))
    epochs: int = bound(4, at_least=1, fuzz=(1, 4))
    records: int = bound(2, at_least=1, fuzz=(1, 2))


class Log(Value):
    """The epoch of each record, which with its offset says which record it is."""

    epochs: tuple[int, ...] = ()

    def end(self) -> int:
        """How many records there are."""
        return len(self.epochs)

    def rank(self) -> tuple[int, int]:
        """What decides who may lead: the last epoch, then the end."""
        return (self.epochs[-1] if self.epochs else 0, len(self.epochs))

    def starts_with(self, log: Log) -> bool:
        """Tell whether another log is the beginning of this one."""
        return self.epochs[: len(log.epochs)] == log.epochs

    def append(self, epoch: int) -> Self:
        """Have one more record."""
        return type(self)((*self.epochs, epoch))


class Quorum(State):
    """The log of each voter, who leads since the last election, what is committed."""

    logs: tuple[Log, ...]
    epoch: int
    leader: Voter | None
    committed: Log
    size: Size = constant()


model = Model("quorum", Size, {Voter: "voters"})
model.symmetric(Voter, "logs")


@model.initial
def no_voter_leads(size: Size) -> Quorum:
    """All logs are empty."""
    return Quorum((Log(),) * size.voters, 0, None, Log(), size)


@model.action
def become_leader(s: Quorum, voter: Voter) -> Iterator[Quorum]:
    """A majority elects a voter: those whose logs are not newer."""
    rank = s.logs[voter].rank()
    votes = sum(log.rank() <= rank for log in s.logs)
    if s.epoch < s.size.epochs and 2 * votes > len(s.logs):
        yield s.evolve(epoch=s.epoch + 1, leader=voter)


@model.action
def append(s: Quorum) -> Iterator[Quorum]:
    """The leader appends a record of its epoch."""
    if s.leader is not None and s.logs[s.leader].end() < s.size.records:
        yield s.evolve(logs={s.leader: s.logs[s.leader].append(s.epoch)})


@model.action
def fetch(s: Quorum, voter: Voter) -> Iterator[Quorum]:
    """A voter takes over the leader's log, whatever it had."""
    if s.leader is not None and s.logs[voter] != s.logs[s.leader]:
        yield s.evolve(logs={voter: s.logs[s.leader]})


@model.action
def commit(s: Quorum) -> Iterator[Quorum]:
    """The leader commits what a majority has, if it ends in a record of its epoch."""
    if s.leader is not None and s.logs[s.leader].rank()[0] == s.epoch:
        yield from commit_what_a_majority_has(s)


def commit_what_a_majority_has(s: Quorum) -> Iterator[Quorum]:
    """The leader commits its log, of whatever epoch, if a majority has it."""
    if s.leader is None or s.logs[s.leader] == s.committed:
        return
    known = s.logs[s.leader]
    if 2 * sum(log.starts_with(known) for log in s.logs) > len(s.logs):
        yield s.evolve(committed=known)


model.variant("eager", {commit: commit_what_a_majority_has})


@model.always
def a_leader_has_every_committed_record(s: Quorum) -> bool:
    """No voter leads that lacks a committed record."""
    return s.leader is None or s.logs[s.leader].starts_with(s.committed)


@model.sometimes
def a_full_log_is_committed(s: Quorum) -> bool:
    """Everything can be committed."""
    return s.committed.end() == s.size.records
