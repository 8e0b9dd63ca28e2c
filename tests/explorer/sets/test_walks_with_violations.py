"""A walk goes on right after one that violates a property, whose run was told."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import NEVER, Columns, split_whatever_reads
from replicheck.explorer.engines.fuzzing.plan_walker import PlanWalker
from replicheck.explorer.engines.fuzzing.walk_plan import Plan, random_plan
from replicheck.explorer.properties import always
from toys import Toy

START = Sets(frozenset({Item(8), Item(1)}), family=(frozenset({Item(2)}), frozenset()))


def put_each(s: Sets) -> Iterator[Sets]:
    """Put the least that is not there on the left, which reads all of it."""
    for item in map(Item, range(4)):
        yield s.evolve(right=s.right | {item})
        if len(s.left) < 3:
            least = next(n for n in map(Item, range(9)) if n not in s.left)
            family = {0: s.family[0] | {item}}
            yield s.evolve(left=s.left | {least}, family=family)


def clear(s: Sets) -> Iterator[Sets]:
    """Take all on the right out."""
    if Item(2) in s.right:
        yield s.evolve(right=frozenset())


def is_few(s: Sets) -> bool:
    """Not all are on the right, which nearly each walk violates."""
    return len(s.right) <= 3


@pytest.mark.parametrize("seed", range(12))
def test_what_is_learned_to_tell_a_run_shows_to_the_next_walk(seed: int) -> None:
    """Such as what an action does, which was forgotten when another item came."""
    model = Toy((put_each, clear), (Sets(), START))
    whole, split = (
        PlanWalker(
            model,
            [always(is_few)],
            frozenset({"clear"}),
            lambda instance: instance.name,
            crowded=crowded,
        )
        for crowded in (NEVER, 1)
    )
    random = Random(seed)
    violated = 0
    with split_whatever_reads(Columns(0, False)):
        for _ in range(12):
            plan = Plan.of(random_plan(random, 20, [b""]), {})
            walk = split.walk(plan)
            assert walk.fingerprints.tolist() == whole.walk(plan).fingerprints.tolist()
            violated += walk.violation is not None
    assert violated > 1
