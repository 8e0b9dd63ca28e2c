"""Random graphs with several actions, some of them fair, for claims about runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NewType

from attrs import frozen
from hypothesis import strategies as st

from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.properties import Property, eventually_always, leads_to
from replicheck.model.state_base import Cells
from toys import Toy

MOST_STATES, MOST_ACTIONS = 8, 4
Lane = NewType("Lane", int)
LANES = (Lane(0), Lane(1))


@frozen
class Place(Cells):
    """A place in a graph."""

    at: int = 0


@frozen
class RandomGraph:
    """A graph as data: for each action, lane and place where it leads.

    ``sets`` are those places that fulfil a predicate, in each lane.
    """

    edges: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    sets: tuple[tuple[frozenset[int], frozenset[int]], ...]
    fairness: Fairness

    @property
    def model(self) -> Toy:
        """The model."""
        actions = [_action(number, lanes) for number, lanes in enumerate(self.edges)]
        return Toy(actions, (Place(),), domains={Lane: LANES})

    @property
    def properties(self) -> list[Property]:
        """A claim of each kind: with and without parameters."""
        alone, by_lane, goal, goal_by_lane = (
            _predicate(number, sets) for number, sets in enumerate(self.sets)
        )
        return [
            leads_to(alone[0], goal[0]),
            leads_to(by_lane[1], goal_by_lane[1]),
            leads_to(by_lane[1], alone[0]),
            eventually_always(goal[0]),
            eventually_always(goal_by_lane[1]),
        ]


def _action(number: int, lanes: Any) -> Callable[..., Iterator[Place]]:
    if number % 2:

        def act(state: Place, lane: Lane) -> Iterator[Place]:
            for target in lanes[lane][state.at]:
                yield state.evolve(at=target)

    else:

        def act(state: Place) -> Iterator[Place]:  # type: ignore[misc]
            for target in lanes[0][state.at]:
                yield state.evolve(at=target)

    act.__name__ = f"act_{number}"
    return act


def _predicate(
    number: int, sets: tuple[frozenset[int], frozenset[int]]
) -> tuple[Callable[..., bool], Callable[..., bool]]:
    def alone(state: Place) -> bool:
        return state.at in sets[0]

    def by_lane(state: Place, lane: Lane) -> bool:
        return state.at in sets[lane]

    alone.__name__, by_lane.__name__ = f"alone_{number}", f"by_lane_{number}"
    return alone, by_lane


@st.composite
def random_graphs(draw: Any) -> RandomGraph:
    """Draw a graph with few edges, so that there are runs that cannot come back."""
    count = draw(st.integers(1, MOST_STATES))
    actions = draw(st.integers(1, MOST_ACTIONS))
    targets = st.lists(st.integers(0, count - 1), max_size=2).map(tuple)
    rare = st.one_of(st.just(()), st.just(()), targets)
    lane = st.lists(rare, min_size=count, max_size=count).map(tuple)
    places = st.frozensets(st.integers(0, count - 1))
    names = st.frozensets(st.sampled_from([f"act_{i}" for i in range(actions)]))
    return RandomGraph(
        tuple(tuple(draw(lane) for _ in LANES) for _ in range(actions)),
        tuple((draw(places), draw(places)) for _ in range(4)),
        Fairness(environment=draw(names), strong=draw(names)),
    )
