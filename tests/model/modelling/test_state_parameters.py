"""States are the first parameters of every function of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from replicheck.model.modelling.instantiation import try_out
from replicheck.modelling import Model, ModellingError, State


class Valve(State):
    """A state with one cell."""

    turns: int = 0


@pytest.mark.parametrize("claims", ["every_step", "always", "action"])
def test_states_are_the_first_parameters(claims: str) -> None:
    """What stands before them would take their place."""

    def grows(flag: bool, before: Valve, after: Valve) -> bool:
        return flag and before == after

    def holds(flag: bool, s: Valve) -> bool:
        return flag and s.turns == 0

    def go(flag: bool, s: Valve) -> Iterator[Valve]:
        yield s.evolve(turns=int(flag))

    function = {"every_step": grows, "always": holds, "action": go}[claims]
    written = "before: S, after: S" if claims == "every_step" else "s: S"
    model: Model[Any] = Model("valve")
    model.initial(lambda bounds: Valve())
    model.action(stay)
    getattr(model, claims)(function)
    with pytest.raises(ModellingError) as error:
        try_out(model)
    assert "test_state_parameters.py:" in str(error.value)
    assert (
        f"write `def {function.__name__}({written}, flag: bool)`, where S is the class"
    ) in str(error.value)


def stay(s: Valve) -> Iterator[Valve]:
    """Nothing happens."""
    yield s
