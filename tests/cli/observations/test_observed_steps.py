"""What a search for an explanation knows of steps is what the model says of them."""

from __future__ import annotations

import random

import attrs
import pytest

from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.instances import instances
from shipped import CATALOGUE

STEPS = 80


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("cluster", {"directory_failures": 1, "isr_shrinks": 2, "crashes": 1}),
        ("composed", {"directory_failures": 1, "isr_shrinks": 1, "records": 2}),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_successors_are_those_of_the_model(
    name: str, bounds: dict[str, int], seed: int
) -> None:
    """Actions, states and events of all steps along a random run are the plain ones."""
    system = CATALOGUE.systems[name]
    within = system.bounds(**bounds)
    model = attrs.evolve(
        system.build(system.protocols[0], within),
        start=next(iter(system.initials.values()))(within),
    )
    projection = ObservedSystem.of(system, system.protocols[0], {}, ()).projection
    table = StateTable(model, projection)
    actions = instances(model.actions, model.domains)
    draw, (number,) = random.Random(seed), table.starts
    for _ in range(STEPS):
        state = table.state(number)
        table.expand([number])
        found = table.successors(number)
        expected = [
            (action, after, tuple(projection(action, state, after)))
            for action in actions
            for after in action(state)
            if after != state
        ]
        assert expected == [
            (step.action, table.state(step.after), step.events) for step in found
        ]
        if not found:
            return
        number = draw.choice(found).after
