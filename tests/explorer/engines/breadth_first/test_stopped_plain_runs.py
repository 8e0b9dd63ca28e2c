"""Functions that run on plain states raise, break their contract, or are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from plain.rings import (
    SIZE,
    VALUES,
    Ring,
    TwoNumbers,
    TwoRecords,
    all_records,
    all_rings,
    both,
    differing,
    reverse,
    reverse_pairs,
    step_aside,
)
from plain.searches import plain_runs_of, searched, soon
from random_models.small_buffers import NEVER
from replicheck.explorer.engine import CheckpointSettings, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.checks.consistency import ConsistencyChecker
from replicheck.explorer.learning.plain import plain_runs
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.search.guard_coverage import Sample
from toys import Toy


def reads_both(before: TwoRecords, after: TwoRecords) -> bool:
    """It reads all fields of both states of a step."""
    return both(before) and both(after)


def not_at_all(*arguments: Any) -> None:
    """In place of a method that takes a sample."""


def interrupted_at(run: int) -> Callable[..., None]:
    """In place of a check of runs: the user ends the search at one of them."""
    runs = count(1)

    def check_run(*arguments: Any) -> None:
        if next(runs) == run:
            raise KeyboardInterrupt

    return check_run


def test_an_action_that_raises() -> None:
    """In the state that the naive engine names."""

    def divide(s: Ring) -> Iterator[Ring]:
        if 1 // (differing(s) + s.aside - SIZE - 1) < 2:
            yield from reverse(s)

    report = searched((divide, step_aside))
    assert report.failure is not None
    assert plain_runs_of(report, "divide") > 0


class Neither:
    """An answer that is neither true nor false."""

    def __bool__(self) -> bool:
        raise TypeError("neither true nor false")


@pytest.mark.parametrize("role", ["constraint", "claim"])
def test_an_answer_that_is_neither_true_nor_false(role: str) -> None:
    """It is told as an error of the function, and where that is."""

    def is_sure(s: Ring) -> Any:
        return Neither() if s.aside and differing(s) > VALUES else True

    constraints = (is_sure,) if role == "constraint" else ()
    claims = () if role == "constraint" else (always(is_sure),)
    report = searched((reverse, step_aside), *claims, constraints=constraints)
    assert report.failure is not None
    assert "neither true nor false" in report.failure.message
    assert plain_runs_of(report, "is_sure") > 0


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


def test_a_plain_run_that_comes_to_what_no_later_run_does() -> None:
    """The run itself is compared, and not only those by which it is repeated."""
    seen = list[tuple[int, ...]]()

    def reverse_at_second_sight(s: Ring) -> Iterator[Ring]:
        key = tuple(s.numbers[node] for node in range(SIZE))
        seen.append(key)
        if len(seen) < 100 or seen.count(key) > 1:
            yield from reverse(s)

    model = Toy((reverse_at_second_sight, step_aside), tuple(all_rings()))
    with soon(), pytest.raises(ModelError, match="run twice in one state, it came"):
        BreadthFirst(threads=1).explore(model, ())


@pytest.mark.parametrize("claims", [(), (every_step(reads_both),)])
def test_a_plain_run_to_a_value_that_equals_another_one(
    claims: tuple[Property, ...],
) -> None:
    """It is refused also where a step property takes it for the value before.

    No run on a view of the state is needed for it, not even those at the end.
    """

    def reverse_and_tell(s: TwoRecords) -> Iterator[TwoRecords]:
        first, second = s.pairs
        if first == second == TwoNumbers(1, 1):
            yield s.evolve(pairs={0: TwoNumbers(True, 1), 1: first})
        yield from reverse_pairs(s)

    model = Toy((reverse_and_tell,), [*all_records()])
    with soon(share=0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_runs, "REPEATED", NEVER)
        patch.setattr(Sample, "add", not_at_all)
        with pytest.raises(ModelError, match="is both TwoNumbers"):
            BreadthFirst(threads=1).explore(model, claims, Search(stop=Stop.DECIDED))


def test_a_plain_run_that_changes_the_state() -> None:
    """It is named, though no run on a view of the state shows it."""

    def reverse_and_step_aside(s: Ring) -> Iterator[Ring]:
        if s.aside == 1 and s.numbers[0] == 1:
            object.__setattr__(s, "aside", 0)
        yield from reverse(s)

    model = Toy((step_aside, reverse_and_step_aside), tuple(all_rings()))
    with soon(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_runs, "REPEATED", NEVER)
        told = "`reverse_and_step_aside` changed the state in place: it is now Ring"
        with pytest.raises(ModelError, match=told):
            BreadthFirst(threads=1).explore(model, ())


def test_a_plain_run_that_never_ends() -> None:
    """It is named, as a learned one is."""

    def reverse_for_ever(s: Ring) -> Iterator[Ring]:
        yield from reverse(s)
        while s.aside and s.numbers[0]:
            yield from reverse(s)

    model = Toy((reverse_for_ever, step_aside), tuple(all_rings()))
    with soon(), pytest.raises(ModelError, match="`reverse_for_ever` yields more than"):
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
