"""Random walks split sets, too: it makes no difference but to their speed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LOOP_SYSTEMS, LoopSystem
from random_sets.message_systems import (
    MESSAGE_SYSTEMS,
    Demand,
    MessageSystem,
    PostOffice,
)
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    NEVER,
    Columns,
    put,
    put_next,
    puts,
    split_whatever_reads,
)
from replicheck.explorer.engines.fuzzing.plan_walker import PlanWalker
from replicheck.explorer.engines.fuzzing.walk_plan import Plan, length_of, random_plan
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.learning.learner import Learner
from searches.walks import by_action, outcome, strategies
from set_loops.parted_actions import take_any
from toys import Toy

FAULTS = frozenset({"empty"})
STRATEGIES = strategies(FAULTS.__contains__)
LIMITS = WalkLimits(steps=20, walks=80)
SYSTEMS = MESSAGE_SYSTEMS | LOOP_SYSTEMS | EACH_SYSTEMS | EACH_SYSTEMS
CROWDS = st.sampled_from([1, 2, 4, 20])


def runs_of_put(learner: Learner | None) -> int:
    """How often the function was run."""
    assert learner is not None
    return learner.effort["put"].runs


def learner_of(walker: PlanWalker[Any]) -> Learner:
    """What a walker has learned after some walks."""
    random = Random(3)
    for _ in range(40):
        walker.walk(Plan.of(random_plan(random, 20, [b""]), {}))
    return walker.learner


def simulated(crowded: int, learner: Learner | None = None) -> Simulation[Sets]:
    """Walks that put items into a set."""
    make = STRATEGIES["uniform"]
    return simulate(puts(), [], make, 3, LIMITS, learner=learner, crowded=crowded)


def walked(crowded: int) -> Learner:
    """What a walker of plans has learned that puts items into a set."""
    return learner_of(
        PlanWalker(puts(), [], FAULTS, lambda instance: None, crowded=crowded)
    )


@pytest.mark.parametrize("way", [walked, lambda crowded: simulated(crowded).learner])
def test_walks_learn_what_they_ask_of_single_items(way: Any) -> None:
    """Not for each value that the set has."""
    whole, split = way(NEVER), way(20)
    assert split.layout.elements == {"left": 10}
    assert runs_of_put(split) < 50 < 150 < len(whole.dictionaries[0])


def look(state: Sets) -> Iterator[Sets]:
    """Do something once the last item is there, or one of the first two alone."""
    if (Item(0) in state.left) != (Item(1) in state.left):
        yield state.evolve(right=frozenset({Item(2)}))
    elif any(item > 8 for item in state.left):
        yield state.evolve(right=frozenset({Item(1)}))


@pytest.mark.parametrize("seed", [12, 15, 16])
def test_a_new_item_enables_what_was_disabled_before(seed: int) -> None:
    """On the way to it a walk noted that nothing is to be done."""
    model = Toy((put_next, look), (Sets(),), domains={Item: ITEMS})
    split, whole = (
        PlanWalker(model, [], FAULTS, lambda instance: None, crowded=crowded)
        for crowded in (4, NEVER)
    )
    random = Random(seed)
    for _ in range(60):
        plan = Plan.of(random_plan(random, 40, [b""]), {})
        walk = split.walk(plan)
        assert walk.fingerprints.tolist() == whole.walk(plan).fingerprints.tolist()
    assert split.learner.layout.elements == {"left": 10}


@pytest.mark.parametrize("is_planned", [False, True])
def test_walks_learn_for_each_item_what_an_action_does_with_it(
    is_planned: bool,
) -> None:
    """They take any item."""
    model = Toy((put, take_any), (Sets(),), domains={Item: ITEMS})
    learner: Learner | None
    if is_planned:
        walker = PlanWalker(model, [], FAULTS, lambda instance: None, crowded=10)
        learner = learner_of(walker)
    else:
        make = STRATEGIES["uniform"]
        learner = simulate(model, [], make, 3, LIMITS, crowded=10).learner
    assert learner is not None
    assert learner.layout.elements == {"left": 10}
    assert learner.effort["take_any"].runs < 50


def test_further_walks_split_the_same_sets() -> None:
    """They go on with the learner that knows the items."""
    first = simulated(20)
    again = simulated(20, first.learner)
    assert again == first
    assert again.learner is first.learner


LATE = tuple(map(Item, range(7, 17)))
"""Items of which the last are the first in the order of their texts."""


def take_and_go(s: Sets) -> Iterator[Sets]:
    """Two steps for each item."""
    for item in sorted(s.left, key=str):
        yield s.evolve(left=s.left - {item}, right=frozenset({item}))
        yield s.evolve(left=s.left - {item})


ANY_OF_MANY = Toy(
    (put, take_any, take_and_go), (Sets(frozenset(LATE)),), domains={Item: LATE}
)


def send(post: PostOffice, item: Item) -> Iterator[PostOffice]:
    """Put a message in."""
    yield post.evolve(sent=post.sent.add(Demand(item)))


def deliver(post: PostOffice) -> Iterator[PostOffice]:
    """Any message arrives, in one of two ways."""
    for message in sorted(post.sent.where(Demand), key=repr):
        yield post.evolve(sent=post.sent.remove(message), count=message.number)
        yield post.evolve(sent=post.sent.remove(message))


ANY_MESSAGE = Toy((send, deliver), (PostOffice(),), domains={Item: LATE})
MODELS = [ANY_OF_MANY, ANY_MESSAGE]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_steps_are_in_one_order_whether_an_action_has_parts_or_not(
    strategy: str, model: Toy
) -> None:
    """The order of where they lead, not that of the items."""
    make = STRATEGIES[strategy]
    limits = WalkLimits(steps=40, walks=80)
    parted, whole = (
        simulate(model, [], make, 3, limits, crowded=crowded) for crowded in (4, NEVER)
    )
    assert parted == whole
    assert parted.learner is not None
    assert parted.learner.has_parts


@pytest.mark.parametrize("model", MODELS)
def test_a_plan_chooses_among_items_whether_an_action_has_parts_or_not(
    model: Toy,
) -> None:
    """By what a step changes."""
    parted, whole = (
        PlanWalker(model, [], FAULTS, lambda instance: instance.name, crowded=crowded)
        for crowded in (4, NEVER)
    )
    random = Random(3)
    for _ in range(40):
        plan = Plan.of(random_plan(random, 30, [b""]), {})
        steps = parted.walk(plan).fingerprints.tolist()
        assert steps == whole.walk(plan).fingerprints.tolist()
    assert parted.learner.has_parts


def test_a_choice_ranks_items_alike_in_each_state() -> None:
    """Whichever were taken before."""
    model = Toy((take_any,), (Sets(frozenset(LATE)),))
    walker = PlanWalker(model, [], FAULTS, lambda instance: None)

    def taken(*choices: int) -> list[int]:
        drawn = bytes([0, *choices]) + bytes(length_of({}, -1))
        found = walker.walk(Plan.of(drawn, {})).fingerprints.tolist()
        learner = walker.learner
        start = learner.fingerprints(np.array([learner.row(learner.starts[0])]))[0]
        return [a ^ b for a, b in pairwise([start, *found])]

    alike = taken(*[5] * len(LATE))
    first, *others = taken(9, *[5] * (len(LATE) - 1))
    assert others == [change for change in alike if change != first]


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(
    SYSTEMS,
    st.sampled_from(sorted(STRATEGIES)),
    CROWDS,
    COLUMNS,
    st.integers(1, 2),
    st.booleans(),
)
def test_a_seed_gives_the_same_walks_whatever_is_split(
    system: MessageSystem | LoopSystem,
    strategy: str,
    crowded: int,
    columns: Columns,
    threads: int,
    forced: bool,
) -> None:
    """Also where sets are split anew on the way, since they have too few columns."""
    model, properties = system.checked
    make = STRATEGIES[strategy]
    whole = simulate(model, properties, make, 7, LIMITS, crowded=NEVER)
    with split_whatever_reads(columns) if forced else nullcontext():
        split = simulate(
            model, properties, make, 7, LIMITS, threads=threads, crowded=crowded
        )
    assert split == whole


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(
    SYSTEMS,
    CROWDS,
    COLUMNS,
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_a_plan_is_the_same_walk_whatever_is_split(
    system: MessageSystem | LoopSystem,
    crowded: int,
    columns: Columns,
    forced: bool,
    random: Random,
) -> None:
    """State by state, with the violation to which it leads."""
    model, properties = system.checked

    whole, split = (by_action(model, properties, most) for most in (NEVER, crowded))
    with split_whatever_reads(columns) if forced else nullcontext():
        for _ in range(8):
            plan = Plan.of(random_plan(random, 20, [b""]), {})
            assert outcome(split, plan) == outcome(whole, plan)
