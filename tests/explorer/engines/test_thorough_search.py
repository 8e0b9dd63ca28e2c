"""A thorough search: models that break the contract are found out, and named."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, frozen
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import toys
from random_models.systems import System, slowly, systems
from replicheck.cli.main import main
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Property, always
from replicheck.explorer.states.symmetry import Reduction
from replicheck.invariants.replication.properties import SAFETY
from replicheck.model.protocol import Protocol
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import KIP_320, replication_model
from replicheck.model.state_base import Cells
from toys import Toy

PARANOID = BreadthFirst(threads=1, sample=1)
CALLS = count()


@frozen
class Bag:
    """Some names."""

    names: frozenset[str] = frozenset("abcdef")
    number: int = 0

    def listed(self) -> list[str]:
        """Answer a list, which no engine can keep."""
        return sorted(self.names)


@frozen
class Bags(Cells):
    """A bag and a number."""

    bag: Bag = Bag()
    number: int = 0


def count_calls(state: Bags) -> Iterator[Bags]:
    """Write how often it was called."""
    if state.number < 3:
        yield state.evolve(number=1 + next(CALLS) % 2)


def read_the_clock(state: Bags) -> Iterator[Bags]:
    """Write the time."""
    yield state.evolve(number=time.perf_counter_ns())


def throw_a_die(state: Bags) -> Iterator[Bags]:
    """Write a random number."""
    yield state.evolve(number=random.getrandbits(60))


def take_each_as_it_comes(state: Bags) -> Iterator[Bags]:
    """Take every name in the order of their hashes."""
    for name in state.bag.names:
        yield state.evolve(bag=Bag(frozenset({name})))


def take_the_first(state: Bags) -> Iterator[Bags]:
    """Take the name whose hash comes first."""
    if len(state.bag.names) > 1:
        yield state.evolve(bag=Bag(frozenset({next(iter(state.bag.names))})))


def change_a_value(state: Bags) -> Iterator[Bags]:
    """Write into the frozen value of a cell."""
    if state.number == 0:
        object.__setattr__(state.bag, "number", 1)
        yield state.evolve(number=1)


def change_the_state(state: Bags) -> Iterator[Bags]:
    """Write into the frozen state."""
    if state.number < 3:
        with suppress(AttributeError):
            object.__setattr__(state, "number", 3)
        return
    yield state.evolve(number=0)


def look_at_the_class(state: Bags) -> Iterator[Bags]:
    """Be disabled where the cell is not of the very class."""
    if type(state.bag) is Bag and state.number == 0:
        yield state.evolve(number=1)


def use_a_list(state: Bags) -> Iterator[Bags]:
    """Ask for what cannot be hashed."""
    if state.bag.listed():
        yield state.evolve(number=1)


def changes_with_each_call(state: Bags) -> bool:
    """A property that is as the number of calls."""
    return state.number == 0 and next(CALLS) % 2 == 0


def holds_always(state: Bags) -> bool:
    """Nothing is asked of the state."""
    return next(CALLS) >= 0


def explore(*actions: Any, properties: tuple[Property, ...] = ()) -> None:
    """Search from one bag."""
    model = Toy(actions, (Bags(Bag(frozenset("abcdef"))),))
    PARANOID.explore(model, properties, Search())


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (count_calls, "not a function of the state: run twice in one state"),
        (read_the_clock, "not a function of the state: run twice in one state"),
        (throw_a_die, "not a function of the state: run twice in one state"),
        (take_each_as_it_comes, "the same steps in another order: sort a set"),
        (take_the_first, "depends on the order in which it iterates a set"),
        (change_a_value, "changed the value of `bag` in place"),
        (change_the_state, "changed the state in place"),
        (look_at_the_class, "looks at the class of a cell"),
    ],
)
def test_an_action_that_breaks_the_contract(action: Any, message: str) -> None:
    """It is named, with what it did."""
    with pytest.raises(ModelError, match=f"`{action.__name__}` .*{message}"):
        explore(action)


def test_both_runs_are_told() -> None:
    """The message has what each run wrote."""
    with pytest.raises(
        ModelError, match=r"\(and led to \[number = \d\]\), then .*\[number = \d\]"
    ):
        explore(count_calls)


def test_a_view_that_answers_a_list() -> None:
    """The method is named, and what it may answer."""
    with pytest.raises(ModelError, match=r"`bag.listed` answers .*cannot be hashed"):
        explore(use_a_list)


def test_a_property_that_breaks_the_contract() -> None:
    """Properties are repeated, too."""
    with pytest.raises(ModelError, match=r"`changes_with_each_call` (is not|differs)"):
        explore(properties=(always(changes_with_each_call),))


def test_no_function_is_left_out() -> None:
    """What asks nothing of the state is run all the same, and repeated."""
    before = next(CALLS)
    explore(properties=(always(holds_always),))
    assert next(CALLS) - before > 3


@slowly
@given(systems(), st.sampled_from([1, 2]))
def test_a_sound_model_is_not_suspected(system: System, threads: int) -> None:
    """The report of a random system is that of the naive engine."""
    engine = BreadthFirst(threads=threads, sample=1)
    expected = Naive().explore(system.model, system.properties, system.search)
    assert engine.explore(system.model, system.properties, system.search) == expected


@pytest.mark.parametrize("reduction", Reduction)
def test_the_protocol_is_not_suspected(reduction: Reduction) -> None:
    """The report is that of a search that does everything once."""
    model = replication_model(
        KIP_320, ReplicationBounds(brokers=3, log_size=1, records=1, max_leader_epoch=0)
    )
    properties = [always(predicate) for predicate in SAFETY]
    once = BreadthFirst(threads=1, reduction=reduction)
    twice = BreadthFirst(threads=1, reduction=reduction, sample=1)
    assert twice.explore(model, properties, Search()) == once.explore(
        model, properties, Search()
    )


def step_by_calls(state: toys.Counter) -> Iterator[toys.Counter]:
    """Count on by how often it was called."""
    if state.value < state.limit:
        yield state.evolve(value=state.value + 1 + next(CALLS) % 2)


def run_counter(*arguments: str) -> Any:
    """Run `replicheck check --paranoid` on the counter."""
    return CliRunner().invoke(
        main, ["check", "counter", "--paranoid", *arguments], obj=toys.catalogue()
    )


def test_the_command_names_the_action(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An impure action is an error in the model, told without a traceback."""
    monkeypatch.chdir(tmp_path)
    impure = evolve(toys.COUNTERS, protocols=(Protocol("up", (step_by_calls,)),))
    monkeypatch.setattr(toys, "COUNTERS", impure)
    done = run_counter()
    assert done.exit_code == 75
    assert "`step_by_calls` is not a function of the state" in done.output
    assert "Traceback" not in done.output


def test_the_command_on_a_sound_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is as expected, and the option belongs to one engine."""
    monkeypatch.chdir(tmp_path)
    assert run_counter().exit_code == 0
    refused = run_counter("--engine", "naive")
    assert refused.exit_code == 2
    assert "--paranoid is not heeded by the engine naive" in refused.output
