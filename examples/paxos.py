"""Paxos for one value: acceptors choose at most one, whatever is lost or late.

A message that was sent can arrive at any time, more than once, or never. Each that can
be sent is a cell of its own, so an action asks for no other. With acceptors that keep
no promise two are chosen: `--protocol forgetful`. (Lamport, Paxos Made Simple, 2001.)
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Acceptor(Id):
    """One of those of which a majority decides."""


class Ballot(Id):
    """An attempt to have a value chosen, and the value that its proposer wants."""


class Size(Bounds):
    """How many acceptors and ballots there are."""

    acceptors: int = bound(3, at_least=1, fuzz=(1, 5))
    ballots: int = bound(2, at_least=1, fuzz=(1, 4))


class Vote(Value):
    """What an acceptor accepted last: ballot -1 if nothing, -2 if it is not told."""

    ballot: int = -2
    value: int = -1


class Paxos(State):
    """What acceptors know, then the messages of each ballot, by acceptor if by one."""

    highest: tuple[int, ...]
    votes: tuple[Vote, ...]
    prepared: tuple[bool, ...]
    promises: tuple[tuple[Vote, ...], ...]
    proposed: tuple[int, ...]
    accepted: tuple[tuple[bool, ...], ...]

    def has_majority(self, ballot: Ballot) -> bool:
        """Tell whether more than half of the acceptors accepted a ballot."""
        return 2 * sum(self.accepted[ballot]) > len(self.highest)


model = Model("paxos", Size, {Acceptor: "acceptors", Ballot: "ballots"})


@model.initial
def nothing_is_sent(size: Size) -> Paxos:
    """No ballot has begun."""
    acceptors, ballots = size.acceptors, size.ballots
    start = (-1,) * acceptors, (Vote(-1),) * acceptors, (False,) * ballots
    sent = ((Vote(),) * acceptors,) * ballots, (-1,) * ballots
    return Paxos(*start, *sent, ((False,) * acceptors,) * ballots)


@model.action
def prepare(s: Paxos, ballot: Ballot) -> Iterator[Paxos]:
    """A ballot begins: its proposer asks all acceptors for a promise."""
    if not s.prepared[ballot]:
        yield s.evolve(prepared={ballot: True})


@model.action
def promise(s: Paxos, acceptor: Acceptor, ballot: Ballot) -> Iterator[Paxos]:
    """An acceptor promises to accept nothing of lower ballots, and tells its vote."""
    if s.prepared[ballot] and s.highest[acceptor] < ballot:
        told = {(ballot, acceptor): s.votes[acceptor]}
        yield s.evolve(highest={acceptor: ballot}, promises=told)


@model.action
def propose(s: Paxos, ballot: Ballot) -> Iterator[Paxos]:
    """With a majority of promises: propose the latest vote, or its own without one."""
    votes = [vote for vote in s.promises[ballot] if vote.ballot > -2]
    if s.proposed[ballot] == -1 and 2 * len(votes) > len(s.highest):
        latest = max(votes, key=lambda vote: vote.ballot)
        value = ballot if latest.ballot == -1 else latest.value
        yield s.evolve(proposed={ballot: value})


def vote_for(s: Paxos, acceptor: Acceptor, ballot: Ballot) -> Iterator[Paxos]:
    """An acceptor accepts what was proposed: alone the mistake of the variant."""
    if s.proposed[ballot] != -1 and not s.accepted[ballot][acceptor]:
        yield s.evolve(
            highest={acceptor: ballot},
            votes={acceptor: Vote(ballot, s.proposed[ballot])},
            accepted={(ballot, acceptor): True},
        )


@model.action
def accept(s: Paxos, acceptor: Acceptor, ballot: Ballot) -> Iterator[Paxos]:
    """An acceptor accepts what was proposed, unless it promised a higher ballot."""
    if s.highest[acceptor] <= ballot:
        yield from vote_for(s, acceptor, ballot)


model.variant("forgetful", {accept: vote_for})


@model.always
def one_value_is_chosen(s: Paxos, one: Ballot, other: Ballot) -> bool:
    """No two ballots with different values have a majority each."""
    are_chosen = s.has_majority(one) and s.has_majority(other)
    return not are_chosen or s.proposed[one] == s.proposed[other]


@model.sometimes
def two_ballots_are_accepted(s: Paxos, one: Ballot, other: Ballot) -> bool:
    """A later ballot comes to its end, too, with the value of the first."""
    return one < other and s.has_majority(one) and s.has_majority(other)
