"""What was learned of a model, in the arrays of the kernel `persistent_set`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import Numbers, U64Array

NO_LAW, AT_END, AT_HEAD, COMMUTING = 0, 1, 2, 3
RAISING_IMAGE = -2
UNKNOWN_STATES, UNKNOWN_STEPS = range(2)
CHOICES = 2


class Boxes(NamedTuple):
    """Sets of states: of each box the columns that it bounds, and their values there.

    Box ``b`` bounds ``columns[starts[b]:starts[b + 1]]``. Value ``v`` of column ``c``
    is in it if bit ``v`` is set in the words from ``places[b, c]`` on, and its head if
    it is in those from ``heads[b, c]`` on; ``head_only[b, c]`` tells whether the box
    asks for nothing but the head. ``bounded`` are the columns as bit sets;
    ``instances`` whose function it is of.
    """

    starts: npt.NDArray[np.int64]
    columns: Numbers
    places: Numbers
    heads: Numbers
    head_only: npt.NDArray[np.uint8]
    bounded: U64Array
    instances: Numbers


class Writes(NamedTuple):
    """What the leaves write: leaf ``p`` has ``columns[starts[p]:starts[p + 1]]``.

    ``images[places[w] + v]`` is the value that write ``w`` makes of value ``v``;
    ``written`` are the columns as bit sets, ``leaves`` the leaf of each write.
    """

    starts: npt.NDArray[np.int64]
    columns: Numbers
    places: npt.NDArray[np.int64]
    laws: npt.NDArray[np.uint8]
    written: U64Array
    leaves: Numbers


class GoalBounds(NamedTuple):
    """The different bounds of goals: of column ``c`` those from ``first[c]`` on.

    The goals with bound ``k`` are ``goals[starts[k]:starts[k + 1]]``.
    """

    first: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    goals: Numbers


class Knowledge(NamedTuple):
    """What was learned of a model, as boxes over the values of its columns.

    Column ``c`` has the values ``0 … sizes[c] - 3``, then *longer*, which is what it is
    now with more at its end, and *any*, of which nothing is known; a set of them takes
    the words from ``first_words[c]`` up to ``first_words[c + 1]``. ``values`` are the
    numbers of its values by those of rows, ``has_head`` is 1 for queues not empty.
    """

    leaves: Boxes
    goals: Boxes
    writes: Writes
    bits: U64Array
    images: Numbers
    sizes: npt.NDArray[np.int64]
    first_values: npt.NDArray[np.int64]
    first_words: npt.NDArray[np.int64]
    first_numbers: npt.NDArray[np.int64]
    values: Numbers
    has_head: npt.NDArray[np.uint8]
    first_leaves: npt.NDArray[np.int64]
    is_goal: npt.NDArray[np.uint8]
    bounds: GoalBounds


class Waits(NamedTuple):
    """Leaves that cannot act yet; each waits for one column to get a value of its box.

    Of those that wait for column ``c`` the first is ``first[c]``, the one after leaf
    ``q`` is ``following[q]``, and -1 ends them. ``at[q]`` is the place of the column
    among those that the boxes bound.
    """

    first: Numbers
    following: Numbers
    at: npt.NDArray[np.int64]


class Reached(NamedTuple):
    """What can come to be without a leaf: values by column, and the leaves that act.

    ``values[first_values[c]:][:counts[c]]`` are those of column ``c``, the present one
    first; ``words`` are those of them that the leaf allows, as bit sets, ``allowed``
    all that it allows. ``present`` are the leaves that do not have the present state,
    ``enabled`` those that do, up to a -1, and ``leaf_of`` is that of each instance.
    ``waits`` and ``acting`` say the same of what is reached. The writes of leaves that
    act are in lists, as leaves are in `Waits`: ``first_writes`` by column,
    ``following_writes``. So many values as ``done`` says have been taken of each.
    ``changed`` are the columns with values that these do not know yet.
    """

    values: Numbers
    counts: npt.NDArray[np.int64]
    words: U64Array
    allowed: U64Array
    present: Waits
    enabled: Numbers
    leaf_of: Numbers
    waits: Waits
    acting: Numbers
    first_writes: Numbers
    following_writes: Numbers
    done: npt.NDArray[np.int64]
    changed: Numbers
    is_changed: npt.NDArray[np.uint8]


class StepGroups(NamedTuple):
    """The steps of a chunk, sorted by the states they come from and by instance.

    ``is_fresh`` tells that a step leads to a state of no level up to this one.
    """

    sources: npt.NDArray[np.uint32]
    instances: Numbers
    is_fresh: npt.NDArray[np.uint8]
    kept: npt.NDArray[np.uint8]
    counters: npt.NDArray[np.int64]
