"""Leader election by votes, all of it in one function.

Its loops go over the nodes, and over a set of all messages.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Model, State, Value, bound, constant


class Size(Bounds):
    """Number of nodes, and the highest term."""

    nodes: int = bound(3)
    terms: int = bound(4)


class Node(Value):
    """What a node knows: its term and role, and who has its vote, or gave it one."""

    term: int = 0
    role: str = "follower"
    voted: int = -1
    votes: frozenset[int] = frozenset()


class Ask(Value):
    """A candidate asks for a vote."""

    term: int
    src: int
    dst: int


class Vote(Value):
    """A node votes for a candidate."""

    term: int
    src: int
    dst: int


class Net(State):
    """The nodes, and all messages that were ever sent."""

    size: Size = constant()
    nodes: tuple[Node, ...] = ()
    messages: frozenset[Ask | Vote] = frozenset()


model = Model("one_function", Size, {})


@model.initial
def begin(size: Size) -> Net:
    """All nodes follow, in term 0."""
    return Net(size, (Node(),) * size.nodes)


@model.action
def step(s: Net) -> Iterator[Net]:
    """Any step of any node."""
    for i in range(s.size.nodes):
        node = s.nodes[i]
        if node.role != "leader" and node.term < s.size.terms:
            term = node.term + 1
            asks = frozenset(Ask(term, i, j) for j in range(s.size.nodes) if j != i)
            yield s.evolve(
                nodes={i: Node(term, "candidate", i, frozenset({i}))},
                messages=s.messages | asks,
            )
        if node.role == "candidate" and len(node.votes) * 2 > s.size.nodes:
            yield s.evolve(nodes={i: node.evolve(role="leader")})
    for m in sorted(s.messages, key=repr):
        node = s.nodes[m.dst]
        if isinstance(m, Ask):
            if m.term > node.term:
                yield s.evolve(
                    nodes={m.dst: Node(m.term, "follower", m.src)},
                    messages=s.messages | {Vote(m.term, m.dst, m.src)},
                )
            elif m.term == node.term and node.voted in (-1, m.src):
                yield s.evolve(
                    nodes={m.dst: node.evolve(voted=m.src)},
                    messages=s.messages | {Vote(m.term, m.dst, m.src)},
                )
        elif m.term == node.term and node.role == "candidate":
            yield s.evolve(nodes={m.dst: node.evolve(votes=node.votes | {m.src})})


@model.always
def one_leader(s: Net) -> bool:
    """A term has at most one leader."""
    leaders = [n.term for n in s.nodes if n.role == "leader"]
    return len(leaders) == len(set(leaders))
