"""Random walks learn actions item by item, which changes nothing but their speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from random_items.action_texts import ACTIONS, MarkedBoard, board, keeps_marks
from random_items.item_parts import SIZES, item_by_item
from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LoopSystem
from random_sets.splits import COLUMNS, NEVER, Columns, split_whatever_reads
from replicheck.explorer.engines.fuzzing.walk_plan import Plan, random_plan
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.item_parts import Sizes
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property, always, every_step, no_deadlock
from replicheck.model.state_base import Cells
from searches.walks import by_action, outcome, strategies
from toys import Toy

few = settings(slowly, max_examples=slowly.max_examples // 4)
TEXTS = st.lists(ACTIONS, min_size=1, max_size=2)
STRATEGIES = strategies({"act_1"}.__contains__)
CHOSEN = st.sampled_from(sorted(STRATEGIES))
LIMITS = WalkLimits(steps=20, walks=80)
NODES = range(8)


def is_low(s: MarkedBoard) -> bool:
    """Not all numbers are high."""
    return sum(s.values) < 5


CLAIMS = [always(is_low), every_step(keeps_marks), no_deadlock()]


def outcomes(
    model: Model[Any], claims: Sequence[Property], crowded: int, seed: int
) -> list[tuple[object, ...]]:
    """All that the walks of some plans come to."""
    walker, random = by_action(model, claims, crowded), Random(seed)
    plans = (Plan.of(random_plan(random, 20, [b""]), {}) for _ in range(8))
    return [outcome(walker, plan) for plan in plans]


@slowly
@given(TEXTS, SIZES, CHOSEN, st.integers(1, 2))
def test_a_seed_gives_the_same_walks(
    texts: Sequence[str], sizes: Sizes, strategy: str, threads: int
) -> None:
    """Whichever steps come from one part."""
    make = STRATEGIES[strategy]
    whole = simulate(board(*texts), CLAIMS, make, 7, LIMITS, crowded=NEVER)
    with item_by_item(sizes):
        parted = simulate(board(*texts), CLAIMS, make, 7, LIMITS, threads=threads)
    assert parted == whole


@slowly
@given(TEXTS, SIZES, st.integers(0, 9))
def test_a_plan_is_the_same_walk(texts: Sequence[str], sizes: Sizes, seed: int) -> None:
    """State by state, with the violation to which it leads."""
    whole = outcomes(board(*texts), CLAIMS, NEVER, seed)
    with item_by_item(sizes):
        assert outcomes(board(*texts), CLAIMS, 1, seed) == whole


@few
@given(EACH_SYSTEMS, SIZES, COLUMNS, CHOSEN, st.integers(0, 9))
def test_walks_with_actions_that_go_over_sets_too(
    system: LoopSystem, sizes: Sizes, columns: Columns, strategy: str, seed: int
) -> None:
    """Some parts see items, and some see elements of the sets."""
    model, claims = system.checked
    make = STRATEGIES[strategy]
    whole = simulate(model, claims, make, 7, LIMITS, crowded=NEVER)
    planned_whole = outcomes(model, claims, NEVER, seed)
    with split_whatever_reads(columns), item_by_item(sizes):
        parted = simulate(model, claims, make, 7, LIMITS, crowded=2)
        assert outcomes(model, claims, 2, seed) == planned_whole
    assert parted == whole


@frozen
class Clocks(Cells):
    """A clock of each node."""

    clocks: tuple[int, ...] = (0,) * len(NODES)


def tick(s: Clocks) -> Iterator[Clocks]:
    """Any clock goes on, or stands still and the next one goes back."""
    for node in reversed(NODES):
        if s.clocks[node] < 3:
            yield s.evolve(clocks={node: s.clocks[node] + 1})
            yield s.evolve(clocks={(node + 1) % len(NODES): 0})


TICKING = Toy((tick,), (Clocks(),))


def learned_by_walks(crowded: int) -> Simulation[Clocks]:
    """Random walks in which clocks go on."""
    return simulate(TICKING, [], STRATEGIES["uniform"], 3, LIMITS, crowded=crowded)


def learned_by_plans(crowded: int) -> Learner:
    """What a walker of plans has learned of clocks that go on."""
    walker, random = by_action(TICKING, [], crowded), Random(3)
    for _ in range(60):
        walker.walk(Plan.of(random_plan(random, 40, [b""]), {}))
    return walker.learner


def runs_of_tick(learner: Learner | None) -> int:
    """How often the function was run."""
    assert learner is not None
    return learner.effort["tick"].runs


@pytest.mark.parametrize(
    "way", [lambda crowded: learned_by_walks(crowded).learner, learned_by_plans]
)
def test_walks_learn_for_each_node_what_an_action_does(way: Any) -> None:
    """Not for each state that they come to."""
    parted, whole = way(16), way(NEVER)
    assert parted.encoding.loops == {"tick": (len(NODES), 1)}
    assert runs_of_tick(parted) < 200 < 500 < runs_of_tick(whole)


def test_a_plan_chooses_among_nodes_whether_an_action_has_parts_or_not() -> None:
    """By what a step changes."""
    whole = outcomes(TICKING, [], NEVER, 3)
    assert outcomes(TICKING, [], 4, 3) == outcomes(TICKING, [], 1, 3) == whole


def test_further_walks_are_the_same_whatever_is_known() -> None:
    """Those of a learner that knows nothing, and of one that has learned in parts."""
    learner, make = learned_by_walks(16).learner, STRATEGIES["priorities"]
    again = simulate(TICKING, [], make, 5, LIMITS, learner=learner)
    assert again == simulate(TICKING, [], make, 5, LIMITS, crowded=NEVER)
    assert again.learner is learner
