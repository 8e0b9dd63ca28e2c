"""The first difference of two models is a nearest one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engine import Limits
from replicheck.explorer.engines.comparison.learned_comparison import compare
from replicheck.explorer.engines.reference import first_difference
from shipped import CATALOGUE
from toys import Toy, Walk

PLACES = 6
Edges = list[set[int]]

graphs = st.lists(st.sets(st.integers(0, PLACES - 1)), min_size=PLACES, max_size=PLACES)


def walk(edges: Edges) -> Toy:
    """A walk through a graph whose edges are the action's, not the state's."""

    def go(state: Walk) -> Iterator[Walk]:
        """Follow an edge."""
        for target in sorted(edges[state.at]):
            yield state.evolve(at=target)

    return Toy((go,), (Walk(()),))


def distances(first: Edges, second: Edges) -> dict[int, int]:
    """The least number of common steps to each place, by relaxation."""
    known = {0: 0}
    for _ in range(PLACES):
        for place, distance in list(known.items()):
            for target in first[place] & second[place]:
                known[target] = min(known.get(target, PLACES), distance + 1)
    return known


@given(first=graphs, second=graphs)
def test_it_is_the_nearest_place_whose_edges_differ(
    first: Edges, second: Edges
) -> None:
    """Of the places that both reach by common edges, one of the nearest that differ."""
    known = distances(first, second)
    differing = {
        place: (first[place] - {place}, second[place] - {place})
        for place in known
        if first[place] - {place} != second[place] - {place}
    }
    found = compare(walk(first), walk(second)).difference
    if not differing:
        assert found is None
        return
    assert found is not None
    place = found.trace.states[-1].at
    assert len(found.trace.steps) == known[place]
    assert known[place] == min(known[place] for place in differing)
    assert {step.state.at for step in found.only_first} == (
        differing[place][0] - differing[place][1]
    )
    assert {step.state.at for step in found.only_second} == (
        differing[place][1] - differing[place][0]
    )


@given(first=graphs, second=graphs)
def test_the_run_is_one_of_both(first: Edges, second: Edges) -> None:
    """Each of its steps is an edge of both graphs."""
    found = compare(walk(first), walk(second)).difference
    if found is not None:
        places = [state.at for state in found.trace.states]
        for before, after in pairwise(places):
            assert after in first[before] & second[before]


def test_a_limit_is_no_answer() -> None:
    """A comparison that was cut names the limit, and no difference."""
    edges: Edges = [{1}, {2}, {3}, {4}, {5}, {0}]
    found = compare(walk(edges), walk(edges), Limits(states=2))
    assert (found.difference, found.cut) == (None, "states")


@given(first=graphs, second=graphs)
def test_the_plain_comparison_finds_the_same(first: Edges, second: Edges) -> None:
    """State by state, in the same order."""
    plain = first_difference.compare(walk(first), walk(second))
    assert compare(walk(first), walk(second)) == plain


@pytest.mark.parametrize(
    ("first", "second"),
    [("kip-101", "kip-320"), ("kip-320", "kip-320"), ("kip-279",) * 2],
)
def test_shipped_protocols_are_compared_alike(first: str, second: str) -> None:
    """The plain comparison finds the same number of states and the same run."""
    system = CATALOGUE.systems["replication"]
    bounds = system.bounds(brokers=2, log_size=2, records=2, max_leader_epoch=2)
    models = [
        system.build(system.protocols_by_name[name], bounds) for name in (first, second)
    ]
    assert compare(*models) == first_difference.compare(*models)
