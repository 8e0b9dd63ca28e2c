"""An action that does something with each item by itself is learned item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from random_items.action_texts import ACTIONS, action_of, board
from random_items.item_parts import SIZES, item_by_item, loops_of
from random_models.systems import slowly
from random_sets.set_systems import Sets
from random_sets.splits import runs_of
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import SELDOM, encoding_watch
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.item_parts import Sizes, loops_over_items
from replicheck.explorer.learning.parts.parted_functions import sets_in
from replicheck.explorer.states.encoding import EncodedOtherwise, Encoding
from replicheck.model.protocol import Action
from replicheck.model.state_base import Cells
from set_loops.parted_actions import take_any
from toys import Toy

ENGINES = [
    BreadthFirst(threads=1),
    BreadthFirst(threads=1, sample=1),
    BreadthFirst(threads=2, crowded=4),
    BreadthFirst(threads=1, fingerprints=KeyPrecision.EXACT),
]
TURN = "yield s.evolve(values={a: (s.values[a] + 1) % 3})"


def require_agreement(text: str, *choices: Sizes) -> None:
    """Compare searches with the naive one: the action has parts if it has loops."""
    expected = Naive().explore(board(text), ())
    for sizes in choices:
        with item_by_item(sizes) as parted:
            found = BreadthFirst(threads=1).explore(board(text), ())
        assert parted == ({"act_0"} if loops_of(action_of(text)) else set())
        assert found == expected
        assert found.actions == expected.actions


@slowly
@given(st.lists(ACTIONS, min_size=1, max_size=2), SIZES, st.sampled_from(ENGINES))
def test_whatever_is_done_with_each(
    texts: Sequence[str], sizes: Sizes, engine: BreadthFirst
) -> None:
    """The report is that of the obvious search, errors included."""
    expected = Naive().explore(board(*texts), ())
    with item_by_item(sizes):
        report = engine.explore(board(*texts), ())
    assert report == expected
    assert report.failure == expected.failure
    if expected.failure is None:
        assert report.actions == expected.actions


@pytest.mark.parametrize(
    "loop",
    [
        "for a in PLACES:",
        "for a in range(len(s.values)):",
        "for a, b in enumerate(s.values):",
        "for a, b in zip(PLACES, s.values):",
        "for a, b in enumerate(s.values, 0):",
        "for a in sorted(PLACES, reverse=True):",
        "for a in (b for b in PLACES):",
        "for a in sorted(s.seen | {1}):",
    ],
)
def test_loops_over_items(loop: str) -> None:
    """They go over numbers, or over cells, each of which only its part reads."""
    text = f"{loop}\n    {TURN}"
    assert len(loops_of(action_of(text))) == 1
    require_agreement(text, (3, 1), (2, 1))


@pytest.mark.parametrize(
    "text",
    [
        f"for a in PLACES:\n    {TURN}\n    break",
        f"for a in PLACES:\n    {TURN}\n    return",
        f"for a in PLACES:\n    {TURN}\nelse:\n    yield s",
        f"for a in PLACES:\n    {TURN}\nif a: yield s.evolve(seen=frozenset())",
        f"n = 0\nfor a in PLACES:\n    n += 1\n    if n < 3: {TURN}",
        f"try:\n    for a in PLACES:\n        {TURN}\nfinally:\n    pass",
        f"s = s.evolve(seen=frozenset())\nfor a in PLACES:\n    {TURN}",
        "for a in PLACES:\n    b = yield s",
        "for a in PLACES:\n    pass\nyield s.evolve(seen=frozenset())",
        f"a = 0\nwhile a < 3:\n    {TURN}\n    a += 1",
    ],
)
def test_loops_in_which_an_item_may_show_to_another(text: str) -> None:
    """By a jump or by a name; or no step comes of them."""
    assert not loops_of(action_of(text))
    require_agreement(text, (3, 1))


@pytest.mark.parametrize(
    "text",
    [
        f"n = []\nfor a in PLACES:\n    n.append(a)\n    if len(n) < 3: {TURN}",
        f"n = iter(range(3))\nfor a in PLACES:\n    if next(n) < 2: {TURN}",
        f"n = [0, 1].pop\nfor a in (0, 1):\n    if n(): {TURN}",
        f"for a, n in zip(PLACES, [[]] * 3):\n    n += [a]\n    if len(n) < 3: {TURN}",
        "for a, n in zip(PLACES, [Turns()] * 3):\n"
        "    n.number += 1\n"
        f"    if n.number < 3: {TURN}",
        "for a, n in zip(PLACES, (Turns(),) * 3):\n"
        "    n.number += 1\n"
        f"    if n.number < 3: {TURN}",
        f"for n in [[]] * 3:\n    a = len(n)\n    n.append(a)\n    {TURN}",
        "n = []\n"
        "for b in PLACES:\n"
        "    n.append(b)\n"
        "    for a in PLACES:\n"
        f"        if len(n) > a: {TURN}",
        "for b in PLACES:\n"
        "    n = []\n"
        "    for a in PLACES:\n"
        "        n.append(a)\n"
        f"        if len(n) > b: {TURN}\n"
        "    if 1 // len(n): yield s.evolve(seen=frozenset({b}))",
        "for b in PLACES:\n"
        "    n = [] if b == s.values[0] else ()\n"
        "    for a in PLACES:\n"
        "        if n == []: n.append(a)\n"
        f"        if not n: {TURN}",
        f"for a in zip(s.marks, (0, 1)):\n    a = a[0].number\n    {TURN}",
        f"for m in [s.marks[0], s.marks[1]]:\n    a = m.number\n    {TURN}",
        f"for m in (0.5, 1.5):\n    a = int(m)\n    {TURN}",
        f"for m in (int, str):\n    a = len(m.__name__) - 3\n    {TURN}",
    ],
)
@pytest.mark.parametrize("sizes", [(3, 1), (1, 3), (2, 2)])
def test_what_an_item_changes_shows_to_the_next(text: str, sizes: Sizes) -> None:
    """Or the items are no plain values: then one part does all of what is left."""
    assert loops_of(action_of(text))
    require_agreement(text, sizes)


def test_steps_from_elsewhere_are_those_of_one_part() -> None:
    """In each state the action has each of its steps once."""
    text = (
        "yield s.evolve(values={0: 2})\n"
        "for a in PLACES:\n"
        f"    {TURN}\n"
        "    for b in (0, 1):\n"
        "        yield s.evolve(rows={(b, b): a % 2})\n"
        "yield s.evolve(values={1: 2})"
    )
    require_agreement(text, (3, 1), (1, 2), (3, 2), (2, 3))


def test_a_function_that_calls_itself_sees_all_items() -> None:
    """Only the loop of the action itself is parted."""
    text = (
        "for a in PLACES:\n"
        "    if s.values[a] == 1: yield from act_0(s.evolve(values={a: 2}))\n"
        f"    else: {TURN}"
    )
    require_agreement(text, (3, 1))


@frozen
class Nodes(Cells):
    """A number of each of seven nodes, and the last that was seen."""

    values: tuple[int, ...] = (0,) * 7
    last: int = 0


def turn_any(s: Nodes) -> Iterator[Nodes]:
    """Any node turns."""
    for node, value in enumerate(s.values):
        if value < 2:
            yield s.evolve(values={node: value + 1})


def take_over(s: Nodes) -> Iterator[Nodes]:
    """Any node takes over the number of any other one."""
    for node in range(len(s.values)):
        for value in s.values:
            if value > s.values[node]:
                yield s.evolve(values={node: value})


def see_any(s: Nodes) -> Iterator[Nodes]:
    """Any number is seen."""
    for value in s.values:
        yield s.evolve(last=value)


def turn_by_the_sum(s: Nodes) -> Iterator[Nodes]:
    """Any node turns, which reads all of them."""
    total = sum(s.values)
    for node in range(len(s.values)):
        if s.values[node] < min(total + 1, 2):
            yield s.evolve(values={node: s.values[node] + 1})


@pytest.mark.parametrize(
    ("action", "most"), [(turn_any, 100), (take_over, 1_000), (see_any, 100)]
)
def test_each_part_is_learned_by_the_cells_of_its_items(
    action: Action, most: int
) -> None:
    """Not by those of all, which have 2,187 values together."""
    model = Toy(tuple(dict.fromkeys((turn_any, action))), (Nodes(),))
    found = BreadthFirst(threads=1, crowded=16).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.states >= 3**7
    assert runs_of(found, action.__name__) < most


def test_an_action_that_reads_all_for_each_item_is_learned_as_a_whole() -> None:
    """Its parts would read as much as all of it."""
    model = Toy((turn_by_the_sum,), (Nodes(),))
    found = BreadthFirst(threads=1, crowded=16).explore(model, ())
    assert found.states == 3**7
    assert 3**7 <= runs_of(found, "turn_by_the_sum") < 2 * 3**7


def test_a_large_search_does_not_begin_anew_for_what_seldom_runs() -> None:
    """That would take longer than what it spares."""
    learner = Learner(Toy((turn_any,), (Nodes(),)), ())
    for values in islice(product(range(3), repeat=7), 100):
        learner.learn(0, learner.row(Nodes(values)))
    look = encoding_watch(learner, crowded=16)
    runs = learner.effort["turn_any"].runs
    look(states=runs * SELDOM)
    with pytest.raises(EncodedOtherwise) as other:
        look(states=runs * SELDOM - 1)
    assert other.value.encoding == Encoding(loops={"turn_any": (7, 1)})


def test_cells_may_be_counted_from_another_number() -> None:
    """By the second argument of `enumerate`."""
    text = "for a, b in enumerate(s.values, 2): yield s.evolve(values={a % 3: b})"
    require_agreement(text, (3, 1))


def test_of_three_loops_in_one_another_two_are_parted() -> None:
    """The innermost goes over all of its items."""
    text = (
        "for a in PLACES:\n"
        "    for b in (0, 1):\n"
        "        for c in (0, 1):\n"
        f"            if s.rows[b][c] != a: {TURN}\n"
        "            yield s.evolve(rows={(b, c): (s.rows[b][c] + 1) % 2})"
    )
    assert [loop.depth for loop in loops_of(action_of(text))] == [0, 1]
    require_agreement(text, (3, 1), (3, 2), (2, 3))


def test_a_loop_over_a_set_in_a_cell_is_none_over_items() -> None:
    """Once the set has many values, the action is learned for its elements."""
    learner = Learner(Toy((take_any,), (Sets(),)), ())
    sets = sets_in(learner.layout, learner.starts[0])
    assert loops_of(take_any)
    assert not loops_over_items(learner.functions[0], sets)
    assert loops_over_items(learner.functions[0], sets[1:2])
