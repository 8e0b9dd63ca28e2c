"""What a process learned that rested on absent elements is not told to others later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, put
from replicheck.explorer.engines.partitioned.broadcast import broadcast
from replicheck.explorer.engines.partitioned.exchange.known_file import KnownFile
from replicheck.explorer.engines.partitioned.exchange.messages import SearchSpec
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    Store,
    folder_of,
)
from replicheck.explorer.engines.partitioned.store.store_uri import at
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.states.encoding import CellEncoding, Encoding
from toys import Toy

THREE, FIVE = Item(3), Item(5)


def look(state: Sets) -> Iterator[Sets]:
    """Do something if one item is there."""
    if THREE in state.left:
        yield state.evolve(right=frozenset({FIVE}))


MODEL = Toy((look, put), (Sets(),), domains={Item: ITEMS})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Where processes have their files."""
    return at(str(tmp_path))


def process(store: Store) -> Worker:
    """A process that splits a set."""
    encoding = Encoding({"left": CellEncoding(16)})
    return Worker(SearchSpec("key", MODEL, (), store.uri, 1, encoding=encoding), store)


def learns(worker: Worker, *items: Item) -> dict[str, bool]:
    """Have a process learn all actions in a state; tell which of them are enabled."""
    learner, found = worker.learner, {}
    row = learner.row(Sets(frozenset(items)))
    for number, function in enumerate(learner.functions):
        learner.learn(number, row)
        found[function.instance.label] = learner.steps_from(number, row) != []
    return found


def told(worker: Worker) -> set[str]:
    """The actions of which a process tells others what it learned."""
    functions = worker.learner.functions
    paths = worker.common.update.paths.values()
    return {functions[path.instance].instance.label for path in paths}


def elements_file(worker: Worker, level: int, items: Sequence[Item]) -> Piece:
    """The file of new elements that states of a level may have."""
    nothing = worker.numbering.in_order([])
    piece_file = PieceFile(folder_of(level), "elements")
    known = KnownFile(nothing, [], [], level, (tuple(items),))
    piece = piece_file.add([known.content])
    worker.store.write(piece_file.name, piece_file.content)
    return piece


def test_what_rests_on_an_absent_element_is_forgotten_when_it_is_shown(
    store: Store,
) -> None:
    """A path that was not told yet is told to no process any more."""
    worker = process(store)
    assert not learns(worker)["look"]
    assert "look" in told(worker)
    known = [elements_file(worker, 1, [THREE])]
    worker.common.catch_up(known, 0)
    assert "look" in told(worker)
    worker.common.catch_up(known, 1)
    assert "look" not in told(worker)
    assert learns(worker, THREE)["look"]


def test_what_writes_the_column_of_another_element_is_forgotten(store: Store) -> None:
    """It is told to no process, and learned anew with the agreed places."""
    worker = process(store)
    learns(worker)
    found = [*worker.common.update.elements[0]]
    assert set(found) == set(ITEMS)
    agreed = [FIVE, *(item for item in found if item != FIVE)]
    moved = found.index(FIVE)
    known = [elements_file(worker, 1, agreed)]
    worker.common.catch_up(known, 0)
    labels = {f"put(item={item})" for item in found[:moved]}
    assert moved
    assert labels.isdisjoint(told(worker))
    worker.common.catch_up(known, 1)
    learner = worker.learner
    row = learner.row(Sets())
    for number, function in enumerate(learner.functions):
        for after in learner.steps_from(number, row):
            (item,) = function.instance.values
            assert learner.state(after).left == {item}


def test_a_process_that_missed_some_levels_knows_what_others_learned_since(
    store: Store,
) -> None:
    """What came before an element was shown is forgotten first."""
    driver, worker, idle = (process(store) for _ in range(3))
    learns(worker)
    known: list[Piece] = []
    update = worker.common.update
    known.append(elements_file(driver, 1, update.elements[0]))
    known += broadcast(driver, known, 1, [update]).files
    worker.common.catch_up(known, 1)
    assert learns(worker, THREE)["look"]
    known += broadcast(driver, known, 2, [worker.common.update]).files
    idle.common.catch_up(known, 2)
    row = idle.learner.row(Sets(frozenset({THREE})))
    assert idle.learner.tables.trees.find(0, row)
    assert "look" not in told(idle)
