"""Raft's election of a leader; `--protocol forgetful` forgets votes in a restart."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound, budget


class Server(Id):
    """One that votes, and may stand for election."""


class Size(Bounds):
    """How many servers there are, how high terms go, and how often one restarts."""

    servers: int = bound(3, at_least=1, fuzz=(1, 3))
    terms: int = bound(2, at_least=1, fuzz=(1, 2))
    restarts: int = budget(1, fuzz=(0, 1))


class Election(State):
    """For each server its term, its vote in it, who voted for it, whether it leads."""

    terms: tuple[int, ...]
    votes: tuple[Server | None, ...]
    supporters: tuple[frozenset[Server], ...]
    leads: tuple[bool, ...]
    last_term: int
    restarts_left: int


model = Model("raft-election", Size, {Server: "servers"})
model.symmetric(Server, "terms", "votes", "supporters", "leads")


@model.initial
def followers(size: Size) -> Election:
    """No server follows another in term 0."""
    n = size.servers
    return Election(
        (0,) * n,
        (None,) * n,
        (frozenset(),) * n,
        (False,) * n,
        size.terms,
        size.restarts,
    )


@model.action
def time_out(s: Election, server: Server) -> Iterator[Election]:
    """A server begins a term, and votes for itself."""
    if s.terms[server] < s.last_term and not s.leads[server]:
        yield s.evolve(
            terms={server: s.terms[server] + 1},
            votes={server: server},
            supporters={server: frozenset({server})},
        )


@model.action
def vote(s: Election, server: Server, candidate: Server) -> Iterator[Election]:
    """A server votes once in a term, for a candidate of this or a newer term."""
    if s.votes[candidate] != candidate or s.terms[candidate] < s.terms[server]:
        return
    if s.votes[server] is not None and s.terms[candidate] == s.terms[server]:
        return
    yield s.evolve(
        terms={server: s.terms[candidate]},
        votes={server: candidate},
        leads={server: False},
        supporters={
            server: frozenset(),
            candidate: s.supporters[candidate] | {server},
        },
    )


@model.action
def become_leader(s: Election, server: Server) -> Iterator[Election]:
    """A candidate with a majority leads its term."""
    if not s.leads[server] and 2 * len(s.supporters[server]) > len(s.terms):
        yield s.evolve(leads={server: True})


@model.fault
def restart(s: Election, server: Server) -> Iterator[Election]:
    """A server restarts: term and vote are on its disk, the rest is gone."""
    if s.restarts_left:
        yield s.evolve(
            supporters={server: frozenset()},
            leads={server: False},
            restarts_left=s.restarts_left - 1,
        )


def restart_without_vote(s: Election, server: Server) -> Iterator[Election]:
    """A server restarts, and has not stored for whom it voted."""
    yield from (after.evolve(votes={server: None}) for after in restart(s, server))


model.variant("forgetful", {restart: restart_without_vote})


@model.always
def a_term_has_one_leader(s: Election, first: Server, second: Server) -> bool:
    """Two that lead in one term are one."""
    if first == second or not (s.leads[first] and s.leads[second]):
        return True
    return s.terms[first] != s.terms[second]


@model.sometimes
def a_broker_leads(s: Election) -> bool:
    """An election ends."""
    return any(s.leads)
