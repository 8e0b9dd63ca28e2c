"""Statistics of a search: coverage, memory, learning, and what its engine took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import Attribute, field, frozen

Dependencies = Mapping[str, Mapping[str, Sequence[str]]]
"""For each action its ``reads`` and ``writes``: names of cells, such as ``logs[2]``."""


@frozen
class GuardCount:
    """How often a guard was asked, and how often its answer disabled the action."""

    asked: int
    refused: int


@frozen
class GuardCoverage:
    """For each action its guards by name, counted in so many sampled states."""

    sampled: int = 0
    actions: Mapping[str, Mapping[str, GuardCount]] = field(factory=dict)


@frozen
class Coverage:
    """What a search covered of the claims and the guards.

    ``premises`` tells for each claim that has a premise whether it held anywhere. A
    field is None where the engine does not count it.
    """

    premises: Mapping[str, bool]
    guards: GuardCoverage | None = None


@frozen
class MemoryUse:
    """Bytes of memory, each at most; None where the engine does not measure it.

    ``own`` is the memory that is not mapped from files, ``base`` that before the
    search. ``kept_per_state`` is of the visited set and the parent pointers.
    """

    peak: int
    own: int | None = None
    base: int | None = None
    budget: int | None = None
    on_disk: bool | None = None
    """Whether the search moved to the disk."""
    kept_per_state: float | None = None
    process_per_state: float | None = None


@frozen
class FunctionRuns:
    """How often a function of the model ran in Python; what that took and read."""

    runs: int
    seconds: float
    reads: int
    judged: Mapping[str, int]
    """How many of the reads are of each step property that judges its steps."""
    plain: int = 0
    """How many of the runs were on plain states, and are not counted in the reads."""


@frozen
class BreadthFirstStatistics:
    """What the phases of a search on one machine took, in seconds of CPU and bytes."""

    threads: Sequence[float]
    """CPU seconds of each thread."""
    walking: float
    learning: float
    inserting: float
    frontier: float
    walks: int
    leaves: int
    visited: int
    path: int
    """Bytes of the parent pointers."""
    tables: int
    unkept: str | None
    """Why no checkpoint could be written, if that is so."""
    fingerprints: str
    functions: Mapping[str, FunctionRuns]
    split: Mapping[str, int] = field(factory=dict)
    """The sets that were split, with how many elements they had."""


@frozen
class PartitionedStatistics:
    """What a search in tasks took, in all processes together.

    ``expanding`` and ``merging`` are CPU seconds of tasks. ``exchanged`` is how many
    bytes processes sent one another through files; ``twice`` how many leaves more than
    one of them learned on the same level; ``alone`` how many levels the driver did;
    ``sent`` how many of the tasks the cluster did. ``split`` names the fields of sets
    whose elements have columns, with how many elements one had at most.
    """

    buckets: int
    expanding: float
    merging: float
    tasks: int
    alone: int
    sent: int
    exchanged: int
    leaves: int
    twice: int
    split: Mapping[str, int]
    unused: str | None = None
    """Why the cluster did no task, if that is so."""


@frozen
class LivenessStatistics:
    """What the graph of all states is like, as far as runs for ever are concerned.

    ``edges`` are steps that change the state. ``resting`` counts the fair components of
    one state, where a run stands still, ``loops`` the others, of ``looping`` states.
    """

    edges: int
    is_acyclic: bool
    """Whether no run comes back to a state that it has left."""
    resting: int
    loops: int
    looping: int
    seconds: float


@frozen
class Statistics:
    """What an engine measured of a search; None is what it does not measure."""

    breadth_first: BreadthFirstStatistics | None = None
    partitioned: PartitionedStatistics | None = None
    memory: MemoryUse | None = None
    collisions: float | None = None
    """Pairs of states that are expected to have one fingerprint."""
    dependencies: Dependencies | None = None
    """The cells that each action was seen to read and to write."""
    values: Mapping[str, int] | None = None
    """For each family of cells how many values it took."""
    coverage: Coverage | None = None
    liveness: LivenessStatistics | None = None
    left_out: int | None = None
    """Steps that a reduced search left out; 0 where it is a whole search after all."""


def is_known(attribute: Attribute[Any], found: object) -> bool:
    """Whether a field holds something; one without default does even if it is None."""
    return found is not None or attribute.default is not None
