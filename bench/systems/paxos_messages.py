"""Paxos as in `examples/paxos.py`, with loops over one set of all messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Acceptor(Id):
    """One of those of which a majority decides."""


class Ballot(Id):
    """An attempt to have a value chosen, and the value that its proposer wants."""


class Size(Bounds):
    """How many acceptors and ballots there are."""

    acceptors: int = bound(3, at_least=1)
    ballots: int = bound(2, at_least=1)


class Vote(Value):
    """What an acceptor accepted last: ballot -1 if nothing yet."""

    ballot: int = -1
    value: int = -1


class Message(NamedTuple):
    """A message of a ballot: who sent it if an acceptor did, and what it tells."""

    kind: str
    ballot: int
    acceptor: int = -1
    vote: Vote = Vote()


Messages = frozenset[Message]


class Paxos(State):
    """What acceptors know, and what was ever sent."""

    highest: tuple[int, ...]
    votes: tuple[Vote, ...]
    messages: Messages


model = Model("paxos", Size, {Acceptor: "acceptors", Ballot: "ballots"})


@model.initial
def nothing_is_sent(size: Size) -> Paxos:
    """No ballot has begun."""
    acceptors = size.acceptors
    return Paxos((-1,) * acceptors, (Vote(),) * acceptors, Messages())


def of(messages: Messages, kind: str, ballot: int) -> list[Message]:
    """The messages of a kind and a ballot."""
    return [m for m in messages if (m.kind, m.ballot) == (kind, ballot)]


@model.action
def prepare(s: Paxos, ballot: Ballot) -> Iterator[Paxos]:
    """A ballot begins: its proposer asks all acceptors for a promise."""
    yield s.evolve(messages=s.messages | {Message("prepare", ballot)})


@model.action
def promise(s: Paxos, acceptor: Acceptor, ballot: Ballot) -> Iterator[Paxos]:
    """An acceptor promises to accept nothing of lower ballots, and tells its vote."""
    if Message("prepare", ballot) in s.messages and s.highest[acceptor] < ballot:
        vote = s.votes[acceptor]
        told = Message("promise", ballot, acceptor, Vote(vote.ballot, vote.value))
        yield s.evolve(highest={acceptor: ballot}, messages=s.messages | {told})


@model.action
def propose(s: Paxos, ballot: Ballot) -> Iterator[Paxos]:
    """With a majority of promises: propose the latest vote, or its own without one."""
    promises = of(s.messages, "promise", ballot)
    is_proposed = bool(of(s.messages, "proposal", ballot))
    if not is_proposed and 2 * len(promises) > len(s.highest):
        latest = max((m.vote for m in promises), key=lambda vote: vote.ballot)
        value = ballot if latest.ballot == -1 else latest.value
        proposal = Message("proposal", ballot, vote=Vote(ballot, value))
        yield s.evolve(messages=s.messages | {proposal})


@model.action
def accept(s: Paxos, acceptor: Acceptor, ballot: Ballot) -> Iterator[Paxos]:
    """An acceptor accepts what was proposed, unless it promised a higher ballot."""
    for proposal in of(s.messages, "proposal", ballot):
        accepted = Message("accepted", ballot, acceptor, proposal.vote)
        if s.highest[acceptor] <= ballot and accepted not in s.messages:
            yield s.evolve(
                highest={acceptor: ballot},
                votes={acceptor: proposal.vote},
                messages=s.messages | {accepted},
            )


@model.always
def one_value_is_chosen(s: Paxos, one: Ballot, other: Ballot) -> bool:
    """No two ballots with different values have a majority each."""
    both = of(s.messages, "accepted", one), of(s.messages, "accepted", other)
    if any(2 * len(accepted) <= len(s.highest) for accepted in both):
        return True
    return both[0][0].vote.value == both[1][0].vote.value
