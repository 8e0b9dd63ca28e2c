"""A function to which each state is new runs on plain states; reports are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.small_buffers import NEVER, check, small_buffers
from random_models.systems import System, slowly, systems
from random_sets.splits import runs_of
from replicheck.explorer.engine import CheckpointSettings, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.learning.checks.consistency import ConsistencyChecker
from replicheck.explorer.learning.plain import (
    plain_functions,
    plain_runs,
    whole_reads,
)
from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

Claim = Callable[..., bool]
Kind = Callable[[Claim], Property]
SIZE, VALUES = 5, 3


@frozen
class Ring(Cells):
    """The number of each node, and one that stands aside."""

    numbers: tuple[int, ...]
    aside: int = 0


def go_aside(s: Ring) -> Iterator[Ring]:
    """What stands aside has many values."""
    if s.aside < SIZE:
        yield s.evolve(aside=s.aside + 1)


def copy(s: Ring) -> Iterator[Ring]:
    """A node takes the number of the one before."""
    for node in range(SIZE):
        if s.numbers[node] != s.numbers[node - 1]:
            yield s.evolve(numbers={node: s.numbers[node - 1]})


@frozen
class Marked(Cells):
    """The number of each node, and some that are marked."""

    numbers: tuple[int, ...]
    marks: frozenset[int]


def reverse(s: Any) -> Iterator[Any]:
    """The numbers come the other way round, which reads all of them."""
    yield s.evolve(numbers=dict(enumerate(reversed(s.numbers))))


def step_aside(s: Ring) -> Iterator[Ring]:
    """What stands aside becomes more, which reads nothing else."""
    if s.aside < 1:
        yield s.evolve(aside=s.aside + 1)


def differing(s: Ring) -> int:
    """How many nodes have another number than the one before."""
    return sum(s.numbers[node] != s.numbers[node - 1] for node in range(SIZE))


def never_more(before: Ring, after: Ring) -> bool:
    """No step has more nodes differ; it is broken at once by a ring."""
    return differing(after) + before.aside <= differing(before)


def more_only_aside(before: Ring, after: Ring) -> bool:
    """No step has more nodes differ, unless something stands aside."""
    return differing(after) <= differing(before) or after.aside > 0


def rare_premise(before: Ring, after: Ring) -> bool:
    """It is about few steps only."""
    if sum(before.numbers) + after.aside < SIZE * (VALUES - 1) + 1:
        return True
    return differing(after) == 0


def rare(s: Ring) -> bool:
    """It is about few states only."""
    if sum(s.numbers) + s.aside < SIZE * (VALUES - 1) + 1:
        return True
    return differing(s) == 0


def sum_is_small(s: Ring) -> bool:
    """It reads all numbers."""
    return sum(s.numbers, s.aside) <= SIZE * VALUES


def few_differ(s: Ring) -> bool:
    """It is broken where all nodes differ."""
    return differing(s) + s.aside < SIZE


def all_rings() -> Iterator[Ring]:
    """Each node has any number."""
    for numbers in product(range(VALUES), repeat=SIZE):
        yield Ring(numbers)


@contextmanager
def soon(share: float = whole_reads.NEARLY_ALL) -> Iterator[None]:
    """Decide after two runs of a function whether it runs on plain states."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk_walker, "MANY_RUNS", 0)
        patch.setattr(plain_functions, "EVERY", 1)
        patch.setattr(plain_runs, "REPEATED", 4)
        patch.setattr(whole_reads, "WINDOW", 2)
        patch.setattr(whole_reads, "NEARLY_ALL", share)
        yield


def plain_runs_of(report: Report[Any], name: str) -> int:
    """How many runs of a function were on plain states."""
    assert report.statistics.breadth_first is not None
    return report.statistics.breadth_first.functions[name].plain


def searched(
    actions: tuple[Any, ...],
    *properties: Property,
    constraints: Sequence[Claim] = (),
    sample: int = 64,
) -> Report[Any]:
    """The report of the breadth-first engine, which is that of the naive one."""
    model = Toy(actions, tuple(all_rings()), constraints)
    search, engine = Search(stop=Stop.DECIDED), BreadthFirst(threads=1, sample=sample)
    with soon():
        found = engine.explore(model, properties, search)
    assert found == Naive().explore(model, properties, search)
    return found


def interrupted_at(run: int) -> Callable[..., None]:
    """In place of a check of runs: the user ends the search at one of them."""
    runs = count(1)

    def check_run(*arguments: Any) -> None:
        if next(runs) == run:
            raise KeyboardInterrupt

    return check_run


@slowly
@given(systems(), st.sampled_from([1, 2]), st.sampled_from([1, NEVER]))
def test_plain_runs_of_whatever_function_change_no_report(
    system: System, threads: int, masks_out_of_date: float
) -> None:
    """Also of functions that read little, and wherever a chunk has no more room."""
    with soon(share=0), small_buffers(masks_out_of_date, NEVER):
        check(BreadthFirst(threads=threads), system)


def test_an_action_that_reads_nearly_all_cells_runs_on_plain_states() -> None:
    """One that reads a single cell is learned."""
    report = searched((copy, reverse, step_aside))
    assert plain_runs_of(report, "copy") > VALUES**SIZE
    assert plain_runs_of(report, "reverse") > VALUES**SIZE
    assert plain_runs_of(report, "step_aside") == 0


def test_an_action_that_leaves_out_a_cell_with_many_values_is_learned() -> None:
    """It runs once for most of the places that what stands aside can have."""
    report = searched((reverse, go_aside))
    assert 0 < plain_runs_of(report, "reverse") < 2 * VALUES**SIZE
    assert runs_of(report, "reverse") < SIZE * VALUES**SIZE, "in place of 6 times"


@pytest.mark.parametrize("claim", [more_only_aside, never_more])
def test_an_action_whose_steps_are_judged_by_all_cells(claim: Claim) -> None:
    """Whether each step holds to the claim, or one breaks it."""
    report = searched((reverse, step_aside), every_step(claim))
    assert plain_runs_of(report, "reverse") > 0


def test_the_premise_of_a_claim_that_only_plain_runs_show() -> None:
    """It is not told to be vacuous."""
    report = searched((reverse, step_aside), every_step(rare_premise), always(rare))
    assert plain_runs_of(report, "rare") > 0
    assert report.statistics.coverage is not None
    assert report.statistics.coverage.premises == {"rare_premise": True, "rare": True}


@pytest.mark.parametrize("claim", [sum_is_small, few_differ])
@pytest.mark.parametrize("kind", [always, sometimes])
def test_a_claim_that_reads_all_cells(kind: Kind, claim: Claim) -> None:
    """Whether it holds or not, and of which state first."""
    report = searched((reverse, step_aside), kind(claim))
    assert plain_runs_of(report, claim.__name__) > 0


def test_a_constraint_that_reads_all_cells() -> None:
    """It keeps the same states from being expanded."""
    report = searched((reverse, step_aside), constraints=(few_differ,))
    assert plain_runs_of(report, "few_differ") > 0


def test_an_action_that_raises() -> None:
    """In the state that the naive engine names."""

    def divide(s: Ring) -> Iterator[Ring]:
        if 1 // (differing(s) + s.aside - SIZE - 1) < 2:
            yield from reverse(s)

    report = searched((divide, step_aside))
    assert report.failure is not None
    assert plain_runs_of(report, "divide") > 0


def test_an_action_of_states_with_sets_is_learned() -> None:
    """In what order it has its steps may depend on how a set is iterated."""
    starts = [Marked(ring.numbers, frozenset({*ring.numbers})) for ring in all_rings()]

    def unmark(s: Marked) -> Iterator[Marked]:
        for number in s.marks:
            yield s.evolve(marks=s.marks - {number}, numbers={0: max(s.numbers)})

    model = Toy((unmark, reverse), starts)
    with soon():
        report = BreadthFirst(threads=1).explore(model, ())
    assert report == Naive().explore(model, ())
    assert plain_runs_of(report, "unmark") == 0
    assert plain_runs_of(report, "reverse") == 0


def test_where_each_run_is_repeated_none_is_on_a_plain_state_alone() -> None:
    """So nothing that a learned run would show is missed."""
    report = searched((copy, step_aside), sample=1)
    assert plain_runs_of(report, "copy") == 0


def test_a_plain_run_that_reads_what_is_no_part_of_the_state() -> None:
    """Some of them are repeated, on a view of the state and on the state itself."""
    calls = 0

    def reverse_now_and_then(s: Ring) -> Iterator[Ring]:
        nonlocal calls
        calls += 1
        if calls < 100 or calls % 3:
            yield from reverse(s)

    model = Toy((reverse_now_and_then, step_aside), tuple(all_rings()))
    with soon(), pytest.raises(ModelError, match="is no part of the state"):
        BreadthFirst(threads=1).explore(model, ())


def test_a_step_of_a_plain_run_to_what_is_no_state() -> None:
    """It is named as one of a learned run is."""

    def reverse_to_a_number(s: Ring) -> Iterator[Any]:
        yield sum(s.numbers) if s.aside and s.numbers[0] else next(reverse(s))

    model = Toy((reverse_to_a_number, step_aside), tuple(all_rings()))
    with soon(), pytest.raises(ModelError, match="led to a int, expected a state"):
        BreadthFirst(threads=1).explore(model, ())


def test_a_search_that_is_stopped_among_plain_runs_is_resumed(tmp_path: Path) -> None:
    """It ends with the report of one that was not."""
    model, search = Toy((reverse, step_aside), tuple(all_rings())), Search()
    engine = BreadthFirst(threads=1, keep=CheckpointSettings(tmp_path, 0.0))
    with soon(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_runs, "REPEATED", 1)
        patch.setattr(ConsistencyChecker, "repeat_reordered", interrupted_at(300))
        report = engine.explore(model, (), search)
        assert report.cut == "interrupted"
    assert engine.resume(model, ()) == Naive().explore(model, ())
