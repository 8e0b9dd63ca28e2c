"""The arrays of a state graph, as the kernels of liveness share them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import Numbers, U64Array

NO_FAIRNESS, WEAK, STRONG = 0, 1, 2
"""What is claimed of an instance: nothing, weak or strong fairness."""
UNFAIR, FAIR, SPLIT = 0, 1, 2
"""Of a component: no fair run stays in it, one visits all of it, or one may stay in a
part of it."""
NO_COMPONENT = -1
NO_EDGE, BEGINNING = -1, -2
"""Instead of the edge by which a state was reached: not reached, or the first one."""


class Edges(NamedTuple):
    """Edges of a graph: those of state ``s`` from ``offsets[s]`` to ``offsets[s + 1]``.

    ``targets`` are states, ``steps`` numbers of steps, and ``instances`` has for each
    step number the instance whose step it is. A step that changes nothing is no edge.
    """

    offsets: npt.NDArray[np.int64]
    targets: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint32]
    instances: Numbers


class NumberedStates(NamedTuple):
    """A hash table from fingerprints to numbers of states; 0 is no fingerprint."""

    fingerprints: U64Array
    numbers: npt.NDArray[np.uint32]


class LevelEdges(NamedTuple):
    """The steps from one level, in no order; a target is known by its fingerprint."""

    sources: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint32]
    fingerprints: U64Array


class StepMeanings(NamedTuple):
    """For each step number its mark and its instance.

    The mark is a bit of the marks of a state, or -1 for none.
    """

    marks: Numbers
    instances: Numbers


class Components(NamedTuple):
    """Strongly connected components: states ``members[starts[c]:starts[c + 1]]``.

    ``of[s]`` is the component of a state, or `NO_COMPONENT` where it is left out.
    """

    of: Numbers
    members: Numbers
    starts: npt.NDArray[np.int64]


class TarjanScratch(NamedTuple):
    """Room for one search of components."""

    found: Numbers
    """When each state was found, from 1 on; 0 is not yet."""
    low: Numbers
    cursors: npt.NDArray[np.int64]
    pending: Numbers
    calls: Numbers


class FairnessScratch(NamedTuple):
    """Room for the judgement of one component: an entry for each instance."""

    enabled: npt.NDArray[np.int64]
    """States of the component in which it has a step."""
    taken: npt.NDArray[np.uint8]
    last: npt.NDArray[np.int64]
    """The last state in which it was seen, or -1."""
    seen: Numbers
    """The instances that have a step in the component."""


class Routes(NamedTuple):
    """How states were reached: by which edge, and in which order."""

    edges: npt.NDArray[np.int64]
    queue: Numbers
