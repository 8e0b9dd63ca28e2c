"""Whole system: an election and its logs in one cell, a record with a tuple of nodes.

A cell for each node would be learned in a fraction of the time. This is what a state
of another language looks like that was taken over as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound, constant


class Member(Id):
    """One of those that vote."""


class Node(Value):
    """The term of a member, for whom it voted there, and the terms of its records."""

    term: int = 0
    vote: Member | None = None
    log: tuple[int, ...] = ()


class Cluster(Value):
    """All nodes."""

    nodes: tuple[Node, ...] = ()


class Size(Bounds):
    """How many members and terms there are, and how long a log is."""

    members: int = bound(3, at_least=1)
    terms: int = bound(2)
    records: int = bound(2)


class World(State):
    """A single cell."""

    size: Size = constant()
    cluster: Cluster


model = Model("whole-system", Size, {Member: "members"})


def with_node(cluster: Cluster, member: Member, node: Node) -> Cluster:
    """The cluster with another node of a member."""
    nodes = cluster.nodes
    return cluster.evolve(nodes=(*nodes[:member], node, *nodes[member + 1 :]))


@model.initial
def nobody_has_voted(size: Size) -> World:
    """All terms are 0."""
    return World(size, Cluster((Node(),) * size.members))


@model.action
def stand(s: World, member: Member) -> Iterator[World]:
    """A member votes for itself in a new term."""
    node = s.cluster.nodes[member]
    if node.term < s.size.terms:
        after = Node(node.term + 1, member, node.log)
        yield s.evolve(cluster=with_node(s.cluster, member, after))


@model.action
def vote(s: World, member: Member, candidate: Member) -> Iterator[World]:
    """A member votes for a candidate of a later term."""
    node, other = s.cluster.nodes[member], s.cluster.nodes[candidate]
    if other.vote == candidate and node.term < other.term:
        after = Node(other.term, candidate, node.log)
        yield s.evolve(cluster=with_node(s.cluster, member, after))


@model.action
def append(s: World, member: Member) -> Iterator[World]:
    """Who voted for itself appends a record of its term."""
    node = s.cluster.nodes[member]
    if node.vote == member and len(node.log) < s.size.records:
        after = Node(node.term, member, (*node.log, node.term))
        yield s.evolve(cluster=with_node(s.cluster, member, after))


@model.always
def terms_of_records_are_in_order(s: World) -> bool:
    """A log never goes back to an earlier term."""
    return all(list(node.log) == sorted(node.log) for node in s.cluster.nodes)
