"""Models through which a campaign goes: one for each choice of bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic

from attrs import frozen

from replicheck.explorer.engines.fuzzing.plan_walker import Group
from replicheck.explorer.engines.fuzzing.walk_plan import Ranges
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property

MakeModel = Callable[[Mapping[str, int]], Model[S] | None]
"""Makes the model within some bounds, or None if there is none."""


@frozen
class ModelFamily(Generic[S]):
    """Where walks go: models within ranges of bounds, and what is claimed of them.

    ``faults`` are the names of the actions that are rationed; ``group`` tells which
    instances are weighed together, beside those of one action.
    """

    make: MakeModel[S]
    ranges: Ranges
    properties: Sequence[Property]
    faults: frozenset[str]
    group: Group
