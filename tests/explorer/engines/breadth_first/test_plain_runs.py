"""A function to which each state is new runs on plain states; reports are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain.rings import (
    SIZE,
    VALUES,
    Claim,
    Marked,
    Ring,
    TwoNumbers,
    TwoRecords,
    all_records,
    all_rings,
    both,
    copy,
    few_differ,
    go_aside,
    more_only_aside,
    never_more,
    one_of_two,
    rare,
    rare_premise,
    reverse,
    reverse_numbers,
    reverse_pairs,
    step_aside,
    sum_is_small,
)
from plain.searches import plain_runs_of, searched, soon
from random_models.small_buffers import NEVER, check, small_buffers
from random_models.systems import System, slowly, systems
from random_sets.splits import runs_of
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import chunk, chunk_walker
from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.native.kernels.arrays import BLOCK
from replicheck.explorer.properties import Property, always, every_step, sometimes
from toys import Toy

Kind = Callable[[Claim], Property]


def counted(method: Callable[[Chunk], None], into: list[Chunk]) -> Callable[..., None]:
    """A method of chunks that notes for which of them it is called."""

    def call(of: Chunk) -> None:
        into.append(of)
        method(of)

    return call


@slowly
@given(systems(), st.sampled_from([1, 2]), st.sampled_from([1, NEVER]))
def test_plain_runs_of_whatever_function_change_no_report(
    system: System, threads: int, masks_out_of_date: float
) -> None:
    """Also of functions that read little, and wherever a chunk has no more room."""
    with soon(share=0), small_buffers(masks_out_of_date, NEVER):
        check(BreadthFirst(threads=threads), system)


def test_an_action_that_reads_all_cells_runs_on_plain_states() -> None:
    """One that reads a single cell is learned, and so is one that leaves out one."""
    report = searched((reverse_numbers, reverse, step_aside))
    assert plain_runs_of(report, "reverse") > VALUES**SIZE
    assert plain_runs_of(report, "reverse_numbers") == 0
    assert plain_runs_of(report, "step_aside") == 0


def test_an_action_that_leaves_out_a_cell_with_many_values_is_learned() -> None:
    """It runs once for most of the places that what stands aside can have."""
    report = searched((reverse_numbers, go_aside))
    runs = runs_of(report, "reverse_numbers")
    assert plain_runs_of(report, "reverse_numbers") < 2 * VALUES**SIZE
    assert runs < SIZE * VALUES**SIZE, "in place of 6 times"


def test_an_action_is_learned_again_once_it_leaves_out_a_cell_that_varies() -> None:
    """Before, it ran on plain states."""

    def count_up(s: Ring) -> Iterator[Ring]:
        for node in range(SIZE):
            if s.numbers[node] < VALUES - 1:
                yield s.evolve(numbers={node: s.numbers[node] + 1})

    def go_aside_late(s: Ring) -> Iterator[Ring]:
        if sum(s.numbers) > (VALUES - 1) * (SIZE - 1) - 1:
            yield from go_aside(s)

    model = Toy((count_up, reverse_numbers, go_aside_late), (Ring((0,) * SIZE),))
    with soon():
        report = BreadthFirst(threads=1).explore(model, ())
    assert report == Naive().explore(model, ())
    assert 0 < plain_runs_of(report, "reverse_numbers") < VALUES**SIZE + 50


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


def test_an_action_of_states_with_sets_is_learned() -> None:
    """In what order it has its steps may depend on how a set is iterated."""
    starts = [Marked(ring.numbers, frozenset({*ring.numbers})) for ring in all_rings()]

    def unmark(s: Marked) -> Iterator[Marked]:
        for number in sorted(s.marks):
            marks = frozenset(mark for mark in sorted(s.marks) if mark != number)
            yield s.evolve(marks=marks, numbers={0: max(s.numbers)})

    model = Toy((unmark, reverse_numbers), starts)
    with soon(share=0):
        report = BreadthFirst(threads=1, sample=64).explore(model, ())
    assert report == Naive().explore(model, ())
    assert plain_runs_of(report, "unmark") == 0


def test_an_action_that_is_learned_in_parts_is_learned() -> None:
    """A plain run would have the steps of all parts."""
    model = Toy((copy, go_aside), tuple(all_rings()))
    with soon(share=0):
        report = BreadthFirst(threads=1, crowded=4).explore(model, ())
    assert report == Naive().explore(model, ())
    assert plain_runs_of(report, "copy") == 0
    assert runs_of(report, "copy") < VALUES**SIZE, "it runs for two nodes at a time"


def test_initial_states_that_differ_in_what_an_action_does_not_read() -> None:
    """It runs once for all of them, though no step writes there."""
    starts = [
        Ring(ring.numbers, aside) for ring in all_rings() for aside in range(SIZE)
    ]
    with soon():
        report = BreadthFirst(threads=1).explore(Toy((reverse_numbers,), starts), ())
    assert plain_runs_of(report, "reverse_numbers") == 0
    assert runs_of(report, "reverse_numbers") < 1.2 * VALUES**SIZE


@pytest.mark.parametrize(("claim", "is_plain"), [(both, True), (one_of_two, False)])
def test_a_claim_that_reads_the_fields_of_records(claim: Claim, is_plain: bool) -> None:
    """A record of which it reads all fields is read whole."""
    model, claims = Toy((reverse_pairs,), [*all_records()]), (always(claim),)
    with soon():
        report = BreadthFirst(threads=1).explore(model, claims)
    assert report == Naive().explore(model, claims)
    assert (plain_runs_of(report, claim.__name__) > 0) is is_plain


def test_equal_cells_are_one_object_to_a_claim_about_steps() -> None:
    """Also where a plain run has made the cell anew."""

    def make_anew(s: TwoRecords) -> Iterator[TwoRecords]:
        first, second = s.pairs
        yield s.evolve(pairs={0: TwoNumbers(first.left, first.right), 1: second})

    def only_a_change_is_judged(before: TwoRecords, after: TwoRecords) -> bool:
        if after.pairs[0] is before.pairs[0]:
            return True
        return not both(after)

    model = Toy((make_anew,), [*all_records()])
    claims = always(both), every_step(only_a_change_is_judged)
    search = Search(stop=Stop.DECIDED)
    with soon(share=0):
        report = BreadthFirst(threads=1).explore(model, claims, search)
    assert plain_runs_of(report, "make_anew") > 0
    assert report == Naive().explore(model, claims, search)


def test_where_each_run_is_repeated_none_is_on_a_plain_state_alone() -> None:
    """So nothing that a learned run would show is missed."""
    report = searched((copy, step_aside), sample=1)
    assert plain_runs_of(report, "copy") == 0


def test_a_plain_run_is_not_done_again_for_want_of_room() -> None:
    """And the room of a chunk grows only for its steps."""

    def reverse_often(s: Ring) -> Iterator[Ring]:
        for number in range(SIZE * VALUES):
            numbers = {0: max(s.numbers), 1: number % VALUES}
            yield s.evolve(numbers=numbers, aside=s.aside)

    model, grown = Toy((reverse_often, step_aside), tuple(all_rings())), list[Chunk]()
    with soon(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk, "CHUNK", BLOCK)
        patch.setattr(chunk_walker, "CHUNK", BLOCK)
        patch.setattr(chunk, "CANDIDATES_PER_STATE", 1)
        patch.setattr(Chunk, "grow", counted(Chunk.grow, grown))
        report = BreadthFirst(threads=1).explore(model, ())
    assert report == Naive().explore(model, ())
    assert 0 < len(grown) < 2 * SIZE
    assert VALUES**SIZE < plain_runs_of(report, "reverse_often") <= 2 * VALUES**SIZE


def test_a_round_in_which_nothing_is_learned_makes_no_room() -> None:
    """Else a chunk would become larger with each level."""
    model, grown = Toy((reverse, go_aside), tuple(all_rings())), list[Chunk]()
    with soon(share=0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chunk, "grow", counted(Chunk.grow, grown))
        report = BreadthFirst(threads=1).explore(model, ())
    assert plain_runs_of(report, "reverse") > SIZE * VALUES**SIZE
    assert not grown
