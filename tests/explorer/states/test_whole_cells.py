"""Cells that are read as a whole once as many operations as values were learned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NewType
from unittest.mock import patch

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import System, slowly, systems
from replicheck.explorer.engine import CheckpointSettings, Progress, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.learning import encoding_watch
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.properties import always, every_step
from replicheck.explorer.runtime.memory import growable_array
from replicheck.explorer.states.encoding import AT_FIRST, CellEncoding, Encoding
from replicheck.explorer.states.value_parts import set_class_of
from replicheck.model.modelling.values import Value
from replicheck.model.state_base import Cells
from searches.resumed_searches import MOMENTS, Moment, ended_and_resumed
from toys import Toy

Node = NewType("Node", int)
NODES = tuple(map(Node, range(4)))
TOP = 5


class Counters(Value):
    """The counters of four nodes: a whole system in a value."""

    counters: tuple[int, ...] = (0,) * len(NODES)


NONE_COUNTED = Counters()


@frozen
class InOneCell(Cells):
    """A cell with all that there is."""

    system: Counters = NONE_COUNTED


def count(s: InOneCell, node: Node) -> Iterator[InOneCell]:
    """A node counts on: the operation has what was read of the cell as its argument."""
    counters = s.system.counters
    if counters[node] < TOP:
        more = (counters[node] + 1,)
        counters = counters[:node] + more + counters[node + 1 :]
        yield s.evolve(system=s.system.evolve(counters=counters))


def none_is_beyond(s: InOneCell) -> bool:
    """No counter has more than it may."""
    return all(counter <= TOP for counter in s.system.counters)


def none_counts_back(before: InOneCell, after: InOneCell) -> bool:
    """What changes is more than before."""
    if after.system is before.system:
        return True
    return sum(after.system.counters) > sum(before.system.counters)


def in_one_cell() -> Toy:
    """A model of 6 ** 4 states."""
    return Toy((count,), (InOneCell(),), domains={Node: NODES})


CLAIMS = (always(none_is_beyond), every_step(none_counts_back))
WHOLE = Encoding({"system": CellEncoding(1, is_whole=True)})


@contextmanager
def learners_made() -> Iterator[list[Learner]]:
    """The learners that are made meanwhile."""
    learners: list[Learner] = []
    known = Learner.__init__

    def learn(self: Learner, *arguments: object) -> None:
        known(self, *arguments)  # type: ignore[arg-type]
        learners.append(self)

    with patch.object(Learner, "__init__", learn):
        yield learners


def test_a_whole_system_in_a_cell() -> None:
    """It has no more operations than were known when the cell was read as a whole."""
    with learners_made() as learners:
        report = BreadthFirst(threads=1).explore(in_one_cell(), CLAIMS)
    assert report == Naive().explore(in_one_cell(), CLAIMS)
    assert report.states == (TOP + 1) ** len(NODES)
    first, second = learners
    assert encoding_watch.MANY <= len(first.tables.operations) < report.states
    assert (first.encoding, second.encoding) == (AT_FIRST, WHOLE)
    assert not second.tables.operations


def test_a_checkpoint_says_that_it_is_read_as_a_whole(tmp_path: Path) -> None:
    """A search that goes on has no operations to learn either."""

    def interrupt(progress: Progress) -> None:
        if progress.depth > 12:
            raise KeyboardInterrupt

    engine = BreadthFirst(threads=1, keep=CheckpointSettings(tmp_path, 1000))
    engine.explore(in_one_cell(), CLAIMS, Search(watch=interrupt))
    with learners_made() as learners:
        report = engine.resume(in_one_cell(), CLAIMS)
    assert report == Naive().explore(in_one_cell(), CLAIMS)
    assert learners[-1].encoding == WHOLE
    assert not learners[-1].tables.operations


def test_processes_read_it_as_a_whole() -> None:
    """Those that share what they learn, too."""
    engine = Partitioned(4, in_process(2), small=0)
    expected = Naive().explore(in_one_cell(), CLAIMS)
    assert engine.explore(in_one_cell(), CLAIMS) == expected


def test_walks_read_it_as_a_whole() -> None:
    """They are the same on any number of threads."""
    limits = WalkLimits(steps=30, walks=20_000)
    one, two = (
        simulate(in_one_cell(), CLAIMS, lambda _: Uniform(), 3, limits, threads)
        for threads in (1, 2)
    )
    assert one == two
    assert one.learner is not None
    assert one.learner.encoding == WHOLE


def test_what_is_learned_has_places() -> None:
    """Where it has none, the search ends as one whose memory is used up."""
    with patch.object(growable_array, "MOST", 20_000):
        report = BreadthFirst(threads=1).explore(in_one_cell(), CLAIMS)
    assert report.cut == "memory"


@contextmanager
def whole_at_once() -> Iterator[None]:
    """Have every cell read as a whole of which an operation is known."""

    def encoding_of(learner: Learner) -> dict[str, CellEncoding]:
        known = {operation.dictionary for operation in learner.tables.operations}
        return {
            dictionary.name: CellEncoding(1, is_whole=True)
            for dictionary in known
            if set_class_of(dictionary.values[0]) is None
        }

    with (
        patch.object(encoding_watch, "MANY", 1),
        patch.object(encoding_watch, "_whole_cells", encoding_of),
    ):
        yield


@slowly
@given(systems(), st.integers(1, 2), st.sampled_from([1, 64]))
def test_random_systems(system: System, threads: int, sample: int) -> None:
    """The report is that of the obvious search, runs included."""
    expected = Naive().explore(system.model, system.properties, system.search)
    engine = BreadthFirst(threads=threads, sample=sample)
    with whole_at_once():
        found = engine.explore(system.model, system.properties, system.search)
    assert found == expected


@pytest.mark.slow
@slowly
@given(systems(), MOMENTS)
def test_a_search_goes_on(system: System, moments: list[Moment]) -> None:
    """What is read as a whole is so in the checkpoint."""
    search = evolve(system.search, stop=Stop.EXHAUSTED)
    engine = BreadthFirst(threads=1)
    memory = [None] * (len(moments) + 1)
    model, properties = system.model, system.properties
    with whole_at_once():
        whole = engine.explore(model, properties, search)
        ended = ended_and_resumed(engine, model, properties, search, moments, memory)
    assert ended == whole
