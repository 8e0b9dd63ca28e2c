"""Raft over a network that reorders, loses and repeats messages, a bag.

It is written as one would write it at first: any message arrives in one action, which
leaves it to a function for each kind of message. Servers do not restart.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from replicheck.modelling import Bag, Bounds, Id, Model, State, Value, bound, constant


class Server(Id):
    """A server of the cluster."""


class Role(Enum):
    """What a server is in its term."""

    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"


class Size(Bounds):
    """How many servers, terms, entries of a log, messages in flight, and faults."""

    servers: int = bound(3, at_least=1)
    terms: int = bound(2, at_least=1)
    entries: int = bound(1)
    in_flight: int = bound(2, at_least=1)
    faults: int = bound(1)


class Message(Value):
    """What all messages have."""

    source: Server
    target: Server
    term: int


class RequestVote(Message):
    """A candidate asks for a vote, with the term and the index of its last entry."""

    last: tuple[int, int]


class Vote(Message):
    """A server grants a vote, or does not."""

    is_granted: bool


class AppendEntries(Message):
    """A leader sends what comes behind an index of its log."""

    previous: int
    previous_term: int
    entries: tuple[int, ...]
    committed: int


class Appended(Message):
    """A follower has the leader's log up to an index; none if it could not append."""

    matched: int | None


class Node(Value):
    """What a server knows; the log has the term of each entry."""

    role: Role = Role.FOLLOWER
    term: int = 1
    voted_for: Server | None = None
    votes: frozenset[Server] = frozenset()
    log: tuple[int, ...] = ()
    committed: int = 0


class Cluster(State):
    """The servers, how much of a leader's log the others have, and the network."""

    size: Size = constant()
    nodes: tuple[Node, ...]
    matched: tuple[tuple[int, ...], ...]
    network: Bag[Message] = Bag()
    faults: int = 0


Steps = Iterator[Cluster]
model = Model("raft", Size, {Server: "servers"})


@model.initial
def all_follow(size: Size) -> Cluster:
    """No server leads, and no log has an entry."""
    row = (0,) * size.servers
    return Cluster(size, (Node(),) * size.servers, (row,) * size.servers)


def term_at(log: tuple[int, ...], index: int) -> int:
    """The term of an entry; entries are counted from 1, and before the first is 0."""
    return log[index - 1] if index > 0 else 0


def has_room(s: Cluster) -> bool:
    """Tell whether the network takes another message."""
    return s.network.has_room(s.size.in_flight)


def last_of(log: tuple[int, ...]) -> tuple[int, int]:
    """The term and the index of the last entry."""
    return term_at(log, len(log)), len(log)


@model.action
def time_out(s: Cluster, server: Server) -> Steps:
    """A server hears of no leader, and becomes a candidate of the next term."""
    node = s.nodes[server]
    if node.role is not Role.LEADER and node.term < s.size.terms:
        own = frozenset({server})
        term = node.term + 1
        after = node.evolve(role=Role.CANDIDATE, term=term, voted_for=server, votes=own)
        yield s.evolve(nodes={server: after})


@model.action
def request_vote(s: Cluster, server: Server, other: Server) -> Steps:
    """A candidate asks a server that has not granted its vote."""
    node = s.nodes[server]
    if node.role is Role.CANDIDATE and other not in node.votes and has_room(s):
        asked = RequestVote(server, other, node.term, last_of(node.log))
        yield s.evolve(network=s.network.add(asked))


@model.action
def become_leader(s: Cluster, server: Server) -> Steps:
    """A candidate with the votes of a majority leads."""
    node = s.nodes[server]
    if node.role is Role.CANDIDATE and 2 * len(node.votes) > s.size.servers:
        row = (0,) * s.size.servers
        after = node.evolve(role=Role.LEADER)
        yield s.evolve(nodes={server: after}, matched={server: row})


@model.action
def write(s: Cluster, server: Server) -> Steps:
    """A client gives a leader an entry."""
    node = s.nodes[server]
    if node.role is Role.LEADER and len(node.log) < s.size.entries:
        yield s.evolve(nodes={server: node.evolve(log=(*node.log, node.term))})


@model.action
def append_entries(s: Cluster, server: Server, other: Server) -> Steps:
    """A leader sends the next entry that a follower does not have, if there is one."""
    node = s.nodes[server]
    if node.role is Role.LEADER and other != server and has_room(s):
        index = s.matched[server][other]
        entries = node.log[index : index + 1]
        committed = min(node.committed, index + len(entries))
        before = term_at(node.log, index)
        sent = AppendEntries(
            server, other, node.term, index, before, entries, committed
        )
        yield s.evolve(network=s.network.add(sent))


@model.action
def commit(s: Cluster, server: Server) -> Steps:
    """A leader commits an entry of its term that a majority has."""
    node = s.nodes[server]
    if node.role is Role.LEADER:
        for index in range(node.committed + 1, len(node.log) + 1):
            others = [count for count in s.matched[server] if count >= index]
            is_of_majority = 2 * (1 + len(others)) > s.size.servers
            if is_of_majority and term_at(node.log, index) == node.term:
                yield s.evolve(nodes={server: node.evolve(committed=index)})


@model.action
def receive(s: Cluster) -> Steps:
    """Any message arrives."""
    for message in sorted(s.network.where(), key=repr):
        node = s.nodes[message.target]
        if message.term > node.term:
            after = node.evolve(
                role=Role.FOLLOWER,
                term=message.term,
                voted_for=None,
                votes=frozenset[Server](),
            )
            yield s.evolve(nodes={message.target: after})
        else:
            yield from handled(s.evolve(network=s.network.remove(message)), message)


def handled(s: Cluster, message: Message) -> Steps:
    """What a server of the message's term, or a later one, does with it."""
    match message:
        case RequestVote():
            yield from voted(s, message)
        case Vote(source=source, target=target):
            node = s.nodes[target]
            if message.is_granted and message.term == node.term:
                votes = node.votes | {source}
                yield s.evolve(nodes={target: node.evolve(votes=votes)})
            else:
                yield s
        case AppendEntries():
            yield from appended(s, message)
        case Appended(source=source, target=target, matched=matched):
            if matched is None or message.term < s.nodes[target].term:
                yield s
            else:
                yield s.evolve(matched={(target, source): matched})


def voted(s: Cluster, asked: RequestVote) -> Steps:
    """A server votes for the first candidate of its term that misses no entry."""
    node = s.nodes[asked.target]
    is_free = node.voted_for in (None, asked.source)
    is_granted = is_free and asked.term == node.term and asked.last >= last_of(node.log)
    after = node.evolve(voted_for=asked.source) if is_granted else node
    vote = Vote(asked.target, asked.source, node.term, is_granted)
    yield s.evolve(nodes={asked.target: after}, network=s.network.add(vote))


def appended(s: Cluster, sent: AppendEntries) -> Steps:
    """A follower appends entries, and drops others, if its log has what is before."""
    node, index = s.nodes[sent.target], sent.previous
    fits = index <= len(node.log) and term_at(node.log, index) == sent.previous_term
    if sent.term < node.term or not fits:
        refusal = Appended(sent.target, sent.source, node.term, None)
        yield s.evolve(network=s.network.add(refusal))
        return
    log = (*node.log[:index], *sent.entries)
    matched = len(log)
    if node.log[:matched] == log:
        log = node.log
    committed = max(node.committed, sent.committed)
    after = node.evolve(role=Role.FOLLOWER, log=log, committed=committed)
    answer = Appended(sent.target, sent.source, node.term, matched)
    yield s.evolve(nodes={sent.target: after}, network=s.network.add(answer))


@model.fault
def lose(s: Cluster) -> Steps:
    """Any message is lost."""
    if s.faults < s.size.faults:
        for message in sorted(s.network.where(), key=repr):
            yield s.evolve(network=s.network.remove(message), faults=s.faults + 1)


@model.fault
def repeat(s: Cluster) -> Steps:
    """Any message is repeated."""
    if s.faults < s.size.faults and has_room(s):
        for message in sorted(s.network.where(), key=repr):
            yield s.evolve(network=s.network.add(message), faults=s.faults + 1)


@model.always
def a_term_has_one_leader(s: Cluster, server: Server, other: Server) -> bool:
    """No two servers lead in the same term."""
    nodes = s.nodes[server], s.nodes[other]
    both_lead = all(node.role is Role.LEADER for node in nodes)
    return server == other or not both_lead or nodes[0].term != nodes[1].term


@model.always
def committed_entries_agree(s: Cluster, server: Server, other: Server) -> bool:
    """What two servers have committed is the same."""
    first, second = s.nodes[server], s.nodes[other]
    common = min(first.committed, second.committed)
    return first.log[:common] == second.log[:common]


@model.sometimes
def an_entry_is_committed(s: Cluster, server: Server) -> bool:
    """A server knows of an entry that it is committed."""
    return s.nodes[server].committed > 0
