"""Fairness: which actions cannot be left out for ever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    NO_FAIRNESS,
    STRONG,
    WEAK,
)


def _names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


@frozen
class Fairness:
    """Fairness of actions, by their names; each instance of an action is meant.

    An instance that stays enabled from some state on is taken: weak fairness, which
    every action has but those of the ``environment``. One that is enabled again and
    again is taken: strong fairness. A step that changes nothing is none.
    """

    environment: frozenset[str] = field(default=frozenset(), converter=_names)
    strong: frozenset[str] = field(default=frozenset(), converter=_names)

    def of(self, instances: Sequence[Instance]) -> npt.NDArray[np.uint8]:
        """For each instance what is claimed of it."""
        return np.array([self._of(instance.name) for instance in instances], np.uint8)

    def _of(self, name: str) -> int:
        if name in self.strong:
            return STRONG
        return NO_FAIRNESS if name in self.environment else WEAK
