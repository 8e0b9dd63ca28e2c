"""Bound shrinking: the same run within smaller bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replicheck.explorer.engines.fuzzing.model_family import ModelFamily
from replicheck.explorer.engines.simulation.shrinking import Choice, Player
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Violation


def shrink_bounds(
    family: ModelFamily[Any],
    claim: Property,
    bounds: Mapping[str, int],
    violation: Violation[Any],
) -> tuple[Mapping[str, int], Violation[Any]]:
    """A violation by the same steps, and the smaller bounds it needs.

    Each bound in turn becomes as small as it can, as the ones before it now are.

    Args:
        family: makes the models.
        claim: the property that is violated.
        bounds: those that were drawn.
        violation: within these.
    """
    model = family.make(bounds)
    assert model is not None, "the violation is of a model"
    choices = Player(model, claim).choices(violation.trace)
    for name, (least, _) in family.ranges.items():
        for value in range(least, bounds[name]):
            smaller = {**bounds, name: value}
            model = family.make(smaller)
            if model is None:
                continue
            found = _violation(Player(model, claim), model, choices)
            if found is not None:
                bounds, violation = smaller, found
                break
    return bounds, violation


def _violation(
    player: Player, model: Model[Any], choices: Sequence[Choice]
) -> Violation[Any] | None:
    """A violation by all of some choices, from the first initial state that has one."""
    for start in model.initial_states():
        found = player.violation(start, choices)
        if found is not None and len(found[0]) == len(choices):
            return found[1]
    return None
