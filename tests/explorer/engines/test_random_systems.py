"""Laws of all engines, on generated systems."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_models import cells
from random_models.broken_contracts import (
    UNLIKE,
    BrokenSystem,
    broken_systems,
    with_unlike,
)
from random_models.cells import Mixed, Queue
from random_models.long_queues import systems_with_long_queues
from random_models.own_queues import QueueSystem, systems_of_own_queues
from random_models.small_buffers import (
    MANY,
    NEVER,
    check,
    require_a_difference,
    small_buffers,
)
from random_models.systems import System, meant_to_fail, slowly, systems
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier import level_shortcuts
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.native import packed_rows
from replicheck.explorer.native.kernels.arrays import Level
from replicheck.explorer.states import fingerprint
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.tables import dictionary, lookups, tables


@contextmanager
def promised_queues() -> Iterator[None]:
    """Have no queue ever be full, and say what is done at its ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "ROOM", NEVER)
        at_head = {"first", "head", "pop", "pop_first"}
        patch.setattr(Queue, "SEQUENCE", "items", raising=False)
        patch.setattr(Queue, "AT_END", frozenset({"append"}), raising=False)
        patch.setattr(Queue, "AT_HEAD", frozenset(at_head), raising=False)
        yield


@slowly
@given(systems())
def test_the_numpy_walk_agrees_with_the_naive_engine(system: System) -> None:
    """The learned tables say what the model's functions do."""
    check(NumpyWalk(), system)


@slowly
@given(systems(), st.sampled_from([1, 2, 7]))
def test_breadth_first_agrees_with_the_naive_engine(
    system: System, threads: int
) -> None:
    """So do the compiled loops, on any number of threads."""
    check(BreadthFirst(threads=threads), system)


@slowly
@given(
    systems(),
    st.sampled_from([1, 2, 7]),
    st.sampled_from(KeyPrecision),
    st.sampled_from([1, NEVER]),
    st.sampled_from([2, NEVER]),
)
def test_breadth_first_agrees_with_the_naive_engine_in_small_pieces(
    system: System,
    threads: int,
    fingerprints: KeyPrecision,
    masks_out_of_date: float,
    worth: float,
) -> None:
    """Nothing depends on where a chunk ends, an array grows or masks are renewed."""
    with small_buffers(masks_out_of_date, worth):
        check(BreadthFirst(threads=threads, fingerprints=fingerprints), system)


@slowly
@given(systems_with_long_queues(), st.sampled_from([1, 2]), st.sampled_from([1, 3, 64]))
def test_breadth_first_agrees_with_the_naive_engine_on_promised_queues(
    system: System, threads: int, sample: int
) -> None:
    """What is learned at the ends of a queue holds for all that is between them."""
    with small_buffers(NEVER, NEVER), promised_queues():
        check(BreadthFirst(threads=threads, sample=sample), system)


@slowly
@given(systems_of_own_queues(), st.sampled_from([1, 3, 64]))
def test_engines_agree_on_own_queues(system: QueueSystem, sample: int) -> None:
    """So it is of the queues of own models, and of classes derived from them."""
    with small_buffers(NEVER, NEVER):
        check(BreadthFirst(threads=2, sample=sample), system)


@slowly
@given(
    systems_with_long_queues(),
    st.sampled_from([1, 2]),
    st.sampled_from([3, 12]),
    st.sampled_from([1, 5, 64]),
    st.sampled_from([2, NEVER]),
)
def test_breadth_first_agrees_with_the_naive_engine_on_long_queues(
    system: System, threads: int, room: int, word_bits: int, worth: float
) -> None:
    """Fields that are narrow at first soon have no room for the values of queues."""
    with small_buffers(NEVER, worth), pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "ROOM", room)
        patch.setattr(packed_rows, "WORD_BITS", word_bits)
        patch.setattr(tables, "MOST_JUMPS", 2)
        check(BreadthFirst(threads=threads), system)


def test_the_law_fails_where_columns_that_vary_are_taken_for_fixed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it would be noticed if a level had shortcuts past a question that matters."""
    everything = np.ones(1 << 8, np.uint8)

    def all_fixed(level: Level) -> npt.NDArray[np.uint8]:
        return everything[: len(level.rows.fields)]

    monkeypatch.setattr(level_shortcuts, "fixed_columns", all_fixed)
    require_a_difference()


@slowly
@given(broken_systems(), st.sampled_from([64, 1]))
def test_a_broken_contract_never_gives_another_answer(
    broken: BrokenSystem, sample: int
) -> None:
    """A model is refused, or has the report of the naive engine.

    What reads hidden state is caught where every run is repeated, unless that changed
    no answer: naive, which calls functions at other times, then judges without it.
    """
    require_refused_or_naive(broken, sample)


@pytest.mark.parametrize(
    ("kind", "module"), [("value", dictionary), ("answer", lookups)]
)
def test_the_law_fails_where_unlike_values_are_taken_for_one(
    kind: str, module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it would be noticed if an engine stopped telling equal values apart."""
    monkeypatch.setattr(module, "are_exactly_equal", lambda known, value: True)

    @settings(meant_to_fail, max_examples=MANY)
    @given(broken_systems((kind,)))
    def law(broken: BrokenSystem) -> None:
        require_refused_or_naive(broken, sample=64)

    with pytest.raises((AssertionError, ModelError)):
        law()


CHANGES = st.permutations([*UNLIKE, ("queue", Queue((1,)))])
"""Also the beginning of a queue that another one has with an unlike value."""


@slowly
@given(systems(), CHANGES)
def test_a_fingerprint_is_one_of_the_state_alone(
    system: System, changes: list[tuple[str, Any]]
) -> None:
    """Whatever was hashed before: two processes that meet other values agree."""
    require_fingerprints_of_states_alone(system, changes)


def test_the_law_fails_where_hashes_of_unlike_values_are_taken_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it would be noticed if the hash of an equal value was taken."""
    monkeypatch.setattr(fingerprint, "are_exactly_equal", lambda known, value: True)

    @meant_to_fail
    @given(systems(), CHANGES)
    def law(system: System, changes: list[tuple[str, Any]]) -> None:
        require_fingerprints_of_states_alone(system, changes)

    with pytest.raises(AssertionError):
        law()


def require_fingerprints_of_states_alone(
    system: System, changes: list[tuple[str, Any]]
) -> None:
    """Compare fingerprints of states in a row with those of each state by itself."""
    start = system.starts[0]
    states = [start, *(with_unlike(start, change) for change in changes)]
    layout = Layout.of(start)
    in_a_row = Fingerprinter(layout)
    for state in states:
        assert told(in_a_row, state) == told(Fingerprinter(layout), state)


def told(fingerprinter: Fingerprinter, state: Mixed) -> int | str:
    """The fingerprint of a state, or why it has none."""
    try:
        return fingerprinter.of(state)
    except ModelError as error:
        return str(error)


def require_refused_or_naive(broken: BrokenSystem, sample: int) -> None:
    """Compare the report of a system with that of the naive engine, if there is one."""
    model, properties, search = broken.model, broken.properties, broken.system.search
    engine = BreadthFirst(sample=sample if broken.lawful is None else 1)
    try:
        found = engine.explore(model, properties, search)
    except ModelError:
        return
    assert found == Naive().explore(model, broken.lawful or properties, search)
