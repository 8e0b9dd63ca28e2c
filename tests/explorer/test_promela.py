"""The Promela export: Spin visits the same states, and finds the same properties so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from attrs import evolve, field, frozen
from click.testing import CliRunner

import spin
from checkout import GOLDEN_FILES
from replicheck.cli.main import main
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.promela.exhaustive_search import visit_all
from replicheck.explorer.promela.model_text import promela
from replicheck.explorer.properties import Property, always, every_step, no_deadlock
from replicheck.invariants.replication.properties import SAFETY, STEPS
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import PROTOCOLS, replication_model
from replicheck.model.state_base import Cells
from spin import needs_spin
from toys import (
    Toy,
    Walk,
    add,
    count_for_ever,
    counter,
    graph,
    is_at_most_five,
    is_below_two,
    is_within_its_limit,
    never_goes_down,
    ring,
    start_again,
)

GOLDEN = [
    json.loads(line)
    for line in (GOLDEN_FILES / "state_counts.jsonl").read_text("utf-8").splitlines()
]


@frozen
class Channel:
    """Numbers that wait, first in, first out."""

    items: tuple[int, ...] = ()

    def head(self) -> int | None:
        """The first, or None."""
        return self.items[0] if self.items else None

    def is_full(self) -> bool:
        """Tell whether there are three."""
        return len(self.items) == 3

    def append(self, item: int) -> Self:
        """Add one at the end."""
        return evolve(self, items=(*self.items, item))

    def pop(self) -> Self:
        """Take the first away."""
        return evolve(self, items=self.items[1:])


@frozen
class Pipe(Cells):
    """Two queues, one after the other; ``run`` is the next number to enter."""

    queues: tuple[Channel, Channel] = field(default=(Channel(), Channel()))
    run: int = 0


def enter(state: Pipe) -> Iterator[Pipe]:
    """Put the next number into the first queue."""
    if not state.queues[0].is_full():
        queue = state.queues[0].append(state.run)
        yield state.evolve(queues={0: queue}, run=(state.run + 1) % 3)


def move(state: Pipe) -> Iterator[Pipe]:
    """Put a number from the first queue into the second, or lose it."""
    item = state.queues[0].head()
    if item is not None and not state.queues[1].is_full():
        rest = state.queues[0].pop()
        yield state.evolve(queues={0: rest, 1: state.queues[1].append(item)})
        yield state.evolve(queues={0: rest})


def leave(state: Pipe) -> Iterator[Pipe]:
    """Take a number out of the second queue."""
    if state.queues[1].head() is not None:
        yield state.evolve(queues={1: state.queues[1].pop()})


@frozen
class QueuePair(Cells):
    """Two numbers that are always equal."""

    left: int = 0
    right: int = 0


def flip(state: QueuePair) -> Iterator[QueuePair]:
    """Change both numbers; what becomes of unequal ones is not known."""
    if state.left == 0:
        yield from [state.evolve(left=1, right=1)] * (state.right == 0)
    else:
        yield from [state.evolve(left=0, right=0)] * (state.right == 1)


def numbers_come_in_turn(state: Pipe) -> bool:
    """The second queue has no number twice."""
    return len(set(state.queues[1].items)) == len(state.queues[1].items)


def is_elsewhere(state: Walk) -> bool:
    """The walk is not at place 0."""
    return state.at != 0


MODELS: dict[str, tuple[Toy, list[Property]]] = {
    "a ring": (ring(7), []),
    "two steps of one action": (graph((1, 2), (0,), (2, 0)), []),
    "equal steps": (graph((1, 1), ()), []),
    "several initial states": (graph((1,), (2,), (3,), (), starts=(0, 2, 0)), []),
    "more than a byte": (counter(limit=300), [always(is_within_its_limit)]),
    "a constraint": (
        counter(count_for_ever, limit=9, constraints=(is_at_most_five,)),
        [always(is_within_its_limit)],
    ),
    "no deadlock but for a constraint": (
        counter(count_for_ever, limit=9, constraints=(is_at_most_five,)),
        [no_deadlock()],
    ),
    "a step property that holds": (counter(add), [every_step(never_goes_down)]),
    "queues": (Toy((enter, move, leave), (Pipe(),)), []),
    "no action": (graph(()), []),
}


VIOLATIONS: dict[str, tuple[Toy, Property, str]] = {
    "an invariant": (counter(add), always(is_below_two), "is_below_two"),
    "an invariant of the initial state": (
        graph((0,)),
        always(is_elsewhere),
        "is_elsewhere",
    ),
    "a step property": (
        counter(add, start_again),
        every_step(never_goes_down),
        "never_goes_down",
    ),
    "a deadlock": (graph((1,), ()), no_deadlock(), "invalid end state"),
    "an invariant of queues": (
        Toy((enter, move, leave), (Pipe(),)),
        always(numbers_come_in_turn),
        "numbers_come_in_turn",
    ),
}


def expected(text: str) -> tuple[int, int]:
    """The states and the transitions that a model says Spin will count."""
    found = re.search(r"Spin: +(\d+) states, stored; (\d+) transitions", text)
    assert found is not None
    return int(found[1]), int(found[2])


@needs_spin
@pytest.mark.parametrize("name", MODELS)
def test_spin_counts_the_same(name: str, tmp_path: Path) -> None:
    """Spin's counts are those of the naive engine and those of the header."""
    model, properties = MODELS[name]
    text = promela(visit_all(model, properties))
    report = Naive().explore(model, properties, Search(stop=Stop.DECIDED))
    found = spin.run(tmp_path, text)
    assert found.error == ""
    assert (found.stored, found.transitions) == expected(text)
    assert found.stored == 1 + report.states
    circles = 1 if name == "no deadlock but for a constraint" else 0
    starts = len(set(model.starts))
    assert found.transitions == 1 + starts + report.generated + circles


@needs_spin
def test_a_model_in_small_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be too long for Spin is cut up, and says the same."""
    monkeypatch.setattr("replicheck.explorer.promela.conditions.MOST_STATEMENTS", 1)
    monkeypatch.setattr("replicheck.explorer.promela.constant_tables.PART", 4)
    monkeypatch.setattr("replicheck.explorer.promela.constant_tables.BATCH", 2)
    text = promela(visit_all(*MODELS["queues"]))
    found = spin.run(tmp_path, text)
    assert found.error == ""
    assert (found.stored, found.transitions) == expected(text)


@needs_spin
@pytest.mark.parametrize("name", VIOLATIONS)
def test_spin_finds_a_violation(name: str, tmp_path: Path) -> None:
    """The assertion that fails is named after what is violated."""
    model, claim, error = VIOLATIONS[name]
    found = visit_all(model, [claim])
    assert found.violated == {claim.name}
    assert spin.run(tmp_path, promela(found)).error == error


@needs_spin
@pytest.mark.slow
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda line: line["protocol"])
def test_spin_on_a_protocol(golden: dict[str, Any], tmp_path: Path) -> None:
    """With two brokers, counts and verdict are those of the golden file."""
    protocol = next(
        protocol for protocol in PROTOCOLS if protocol.name == golden["protocol"]
    )
    properties = [always(predicate) for predicate in SAFETY]
    properties += [every_step(predicate) for predicate in STEPS]
    model = replication_model(protocol, ReplicationBounds(**golden["bounds"]))
    text = promela(visit_all(model, properties))
    everything = spin.run(tmp_path, text, "-DUNJUDGED")
    assert everything.error == ""
    assert everything.stored == 1 + golden["states"]
    assert everything.transitions == 2 + golden["generated"]
    if golden["violated"]:
        accused = spin.run(tmp_path, text).error
        assert any(accused.startswith(name) for name in golden["violated"])


@needs_spin
@pytest.mark.parametrize(
    "scenario",
    [
        "topic-deleted-with-disk-offline",
        "fetching-one-partition-fails",
        "composed-follower-gets-empty-disk",
        "alter-isr",
    ],
)
def test_spin_on_a_model_with_queues(scenario: str, tmp_path: Path) -> None:
    """Each of the other models, with its step properties."""
    done = CliRunner().invoke(main, ["export", "--format", "promela", scenario])
    assert " * step: " in done.stdout
    found = spin.run(tmp_path, done.stdout)
    assert found.error == ""
    assert (found.stored, found.transitions) == expected(done.stdout)


@needs_spin
def test_spin_comes_where_the_search_did_not(tmp_path: Path) -> None:
    """A tree has no answer there; the assertion that fails says so."""
    text = promela(visit_all(Toy((flip,), (QueuePair(),)), []))
    assert spin.run(tmp_path, text).error == ""
    forged = text.replace("right = 1", "right = 0")
    assert spin.run(tmp_path, forged).error == "met_by_replicheck"


def test_what_is_written() -> None:
    """A clock of two states, from the first line to the last."""
    text = promela(visit_all(ring(2), []), ["scenario: clock"], "clock.pml")
    assert text == (GOLDEN_FILES / "clock.pml").read_text("utf-8")


def test_an_export_can_be_repeated() -> None:
    """The same model gives the same text."""
    first, second = (promela(visit_all(*MODELS["queues"])) for _ in range(2))
    assert first == second
