"""Strategies: how a walker chooses among the steps that it can take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import NO_STEP, Numbers
from replicheck.explorer.native.library import (
    pick_by_priority,
    pick_uniformly,
    pick_with_faults,
)
from replicheck.explorer.native.packing import Packed

CHANGE_POINTS = 3
"""So often a walk by priorities lowers one: bugs of depth four and less (PCT's d)."""


@frozen
class Options:
    """The steps that the walkers of one chunk can take.

    They are sorted by walker, ``count`` in all; ``low`` is the first walker, ``high``
    behind the last. ``instances`` has the instance of each step, by its number.
    """

    chunk: Packed
    count: int
    low: int
    high: int
    leaves: Numbers
    instances: Numbers


class Strategy(Protocol):
    """Chooses a step for each walker."""

    @property
    def name(self) -> str:
        """The name under which a user chooses it."""

    def memory(self, walkers: int) -> Numbers:
        """Initial memory of walkers, a row for each."""

    def pick(self, options: Options, seed: int, walkers: Packed) -> None:
        """Write the choice of each walker into ``picked`` of the walkers, packed."""


@frozen
class Uniform:
    """Every step that is enabled is as likely."""

    name: str = "uniform"

    def memory(self, walkers: int) -> Numbers:
        """Initial memory of walkers: nothing."""
        return np.zeros((walkers, 1), np.int32)

    def pick(self, options: Options, seed: int, walkers: Packed) -> None:
        """Choose by chance."""
        at = options
        pick_uniformly(at.chunk, at.count, at.low, at.high, seed, walkers)


@frozen(eq=False)
class Priorities:
    """Groups of instances have priorities, which change a few times (PCT).

    ``groups[instance]`` is the group of each: instances that belong to one process.
    """

    groups: Numbers
    name: str = "priorities"

    def memory(self, walkers: int) -> Numbers:
        """Initial memory of walkers: no group was lowered."""
        return np.full((walkers, CHANGE_POINTS), NO_STEP, np.int32)

    def pick(self, options: Options, seed: int, walkers: Packed) -> None:
        """Choose by chance within the group with the highest priority."""
        at, groups = options, self.groups[options.instances]
        pick_by_priority(
            at.chunk, at.count, at.low, at.high, seed, walkers, at.leaves, groups
        )


@frozen(eq=False)
class SpreadFaults:
    """Faults wait for a depth by chance, so that they also come late.

    ``is_fault[instance]`` is 1 for those that are faults.
    """

    is_fault: Numbers
    name: str = "faults"

    def memory(self, walkers: int) -> Numbers:
        """Initial memory of walkers: none has had a fault."""
        return np.zeros((walkers, 1), np.int32)

    def pick(self, options: Options, seed: int, walkers: Packed) -> None:
        """Choose a fault when it is time, and another step by chance until then."""
        at, faults = options, self.is_fault[options.instances]
        pick_with_faults(
            at.chunk, at.count, at.low, at.high, seed, walkers, at.leaves, faults
        )


def group_numbers(groups: Sequence[Any]) -> Numbers:
    """Groups of any kind as numbers, in the order of their first appearance."""
    known = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return np.array([known[group] for group in groups], np.int32)
