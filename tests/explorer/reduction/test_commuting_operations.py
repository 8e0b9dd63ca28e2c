"""Values keep what they promise of the order of operations: reductions rest on it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.cells import Box
from random_models.random_processes import EVERYTHING, CommutingBox
from random_models.small_races import RACES
from reduced.reduced_engines import in_one_process
from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    COMMUTING,
    NO_LAW,
)
from replicheck.explorer.proxies.calls import Call, apply_calls
from replicheck.explorer.proxies.operation_laws import OperationLaws
from replicheck.explorer.states.value_parts import SetSize
from replicheck.modelling import Bag, Set

NUMBERS = st.integers(0, 3)
ADDITIONS: Mapping[type, Mapping[str, st.SearchStrategy[tuple[Any, ...]]]] = {
    Set: {"add": st.tuples(NUMBERS)},
    Bag: {"add": st.tuples(NUMBERS)},
    SetSize: {"plus": st.tuples(st.integers(-3, 3))},
    CommutingBox: {"add": st.tuples(NUMBERS), "flip": st.just(())},
}
"""The operations that commute, with arguments."""
FIRST: Mapping[type, tuple[Any, ...]] = {SetSize: (2,)}
"""What the first value of a class is made of, if not of nothing."""


@pytest.mark.parametrize("kind", ADDITIONS)
@given(data=st.data())
def test_operations_commute_that_are_promised_to(
    kind: type[Any], data: st.DataObject
) -> None:
    """After any of them two more come to the same in any order."""
    assert set(ADDITIONS[kind]) == kind.COMMUTING
    calls: st.SearchStrategy[Call] = st.one_of(
        *(st.tuples(st.just(name), given) for name, given in ADDITIONS[kind].items())
    )
    first = kind(*FIRST.get(kind, ()))
    value = apply_calls(first, data.draw(st.lists(calls, max_size=4)))
    one, other = data.draw(calls), data.draw(calls)
    assert apply_calls(value, [one, other]) == apply_calls(value, [other, one])


class CountedSet(Set[int]):
    """A set that counts how often something was put in."""

    def add(self, item: int) -> Self:
        """Put an item in."""
        return type(self)(self.items | {item, -len(self.items)})


def test_what_commutes_is_known_of_several_operations() -> None:
    """Of a class that has one of them anew it is not, nor of one with others."""
    twice: list[Call] = [("add", (1,)), ("add", (2,))]
    assert OperationLaws.of(Set()).law_of(twice) == COMMUTING
    assert OperationLaws.of(Set()).law_of([*twice, ("clear", ())]) == NO_LAW
    assert OperationLaws.of(CountedSet()).law_of(twice) == NO_LAW
    assert not OperationLaws.of(Set()).are_known


@pytest.mark.parametrize(
    ("name", "promised", "shown"),
    [
        ("two writers", {"add", "put"}, "`Box` promises in `COMMUTING` that"),
        ("one disables", {"flip"}, None),
    ],
)
def test_a_promise_that_a_value_shows_to_be_false_is_an_error(
    name: str,
    promised: frozenset[str],
    shown: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It names the operations; one that is true is none."""
    monkeypatch.setattr(Box, "COMMUTING", frozenset(promised), raising=False)
    model, properties = RACES[name]
    with pytest.raises(ModelError, match=shown) if shown else nullcontext():
        in_one_process().explore(model, properties, EVERYTHING)
