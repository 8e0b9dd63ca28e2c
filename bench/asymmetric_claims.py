"""How many claims about ids that are alike does a search up to symmetry miss?

``python bench/asymmetric_claims.py`` draws claims that name ids of a small system, such
as "not node 2 leads while node 0 has 1", and searches each twice: by the naive engine,
state by state, and up to symmetry. Of those that are violated it counts which are
refused as not symmetric, which are found, and which are missed without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import click

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always
from replicheck.explorer.states.symmetry import Reduction
from replicheck.model.modelling.instantiation import instance_of
from replicheck.model.protocol import Protocol
from replicheck.modelling import Bounds, Id, Model, State, bound

Claim = Callable[["Election"], bool]
MOST_VOTES = 2
OUTCOMES = ("violated", "refused", "found", "missed")


class Node(Id):
    """One of several that are alike."""


class Size(Bounds):
    """How many there are."""

    nodes: int = bound(3)


class Election(State):
    """The votes that each node has, and the node that leads, or -1."""

    votes: tuple[int, ...]
    leader: Node = Node(-1)


def vote(s: Election, node: Node) -> Iterator[Election]:
    """A node gets a vote."""
    if s.votes[node] < MOST_VOTES:
        yield s.evolve(votes={node: s.votes[node] + 1})


def elect(s: Election, node: Node) -> Iterator[Election]:
    """A node with all votes that one can have leads."""
    if s.votes[node] == MOST_VOTES:
        yield s.evolve(leader=node)


def no_vote(size: Size) -> Election:
    """No node has a vote."""
    return Election((0,) * size.nodes)


MODEL = Model("election", Size, {Node: "nodes"})
MODEL.initial(no_vote)
MODEL.action(vote)
MODEL.action(elect)
MODEL.symmetric(Node, "votes")


def claims(draw: Random, nodes: int) -> Iterator[Claim]:
    """Yield claims that name ids, one of each of three kinds."""
    first, second = draw.sample(range(nodes), 2)
    votes, others = draw.randint(0, MOST_VOTES), draw.randint(0, MOST_VOTES)
    total, full = draw.randrange(nodes, 2 * nodes), draw.randrange(1, nodes)
    yield lambda s: s.leader != first or s.votes[second] != votes
    yield (
        lambda s: (
            s.leader in (-1, first) or s.votes[first] != votes or sum(s.votes) != total
        )
    )
    yield (
        lambda s: (
            (s.votes[first], s.votes[second]) != (votes, others)
            or s.votes.count(MOST_VOTES) != full
        )
    )


def outcomes(claim: Claim, nodes: int) -> Iterator[str]:
    """Yield what becomes of a claim that is violated; nothing of one that holds."""
    model = instance_of(MODEL, Protocol("election", (vote, elect)), Size(nodes=nodes))
    if not Naive().explore(model, [always(claim)], Search()).violations:
        return
    yield "violated"
    engine = BreadthFirst(threads=1, reduction=Reduction.SYMMETRY)
    try:
        report = engine.explore(model, [always(claim)], Search())
    except ModelError:
        yield "refused"
    else:
        yield "found" if report.violations else "missed"


@click.command()
@click.option("--seed", default=3, show_default=True)
@click.option("--draws", default=30, show_default=True, help="Claims of each kind.")
@click.option("--most-nodes", default=6, show_default=True)
def main(seed: int, draws: int, most_nodes: int) -> None:
    """Print the table."""
    draw = Random(seed)
    click.echo(f"| ids | {' | '.join(OUTCOMES)} |\n|---|---|---|---|---|")
    for nodes in range(3, most_nodes + 1):
        found = [
            outcome
            for _ in range(draws)
            for claim in claims(draw, nodes)
            for outcome in outcomes(claim, nodes)
        ]
        counts = " | ".join(str(found.count(outcome)) for outcome in OUTCOMES)
        click.echo(f"| {nodes} | {counts} |")


if __name__ == "__main__":
    main()
