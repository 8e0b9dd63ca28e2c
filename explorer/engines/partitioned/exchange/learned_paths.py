"""Learned paths: what one worker learned of a function, as every other can read it.

A learned path is one path of a decision tree. Where `tables` has numbers of queries,
answers, values and operations, which differ from worker to worker, it has themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, evolve, frozen

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.proxies.calls import WHOLE, Call
from replicheck.explorer.states.value_parts import FILTERED
from replicheck.explorer.tables.leaves import RecordedRun, steps_of

Read = tuple[int, Call, Any]
"""A column, what was asked of it, and the answer."""


@frozen
class LearnedStep:
    """One step of an action: what it writes, and the step properties that it breaks.

    A write is a column and a value, or the calls of an operation.
    """

    which: int
    broken: int
    values: tuple[tuple[int, Any], ...]
    operations: tuple[tuple[int, tuple[Call, ...]], ...]


@frozen
class LearnedPath:
    """One run of an instance.

    ``leaf`` is None where it is disabled, a number of `tables` where it tells
    something, otherwise its steps. ``own`` are the columns that the function reads
    itself, not only the step properties that judge its steps. ``relied`` are questions
    whose answers rest on which elements are shown, as in `RecordedRun`; one with no
    name is about all elements. ``for_premises`` are the places of reads on which only
    the premise of a claim depends, each with the claim.
    """

    instance: int
    reads: tuple[Read, ...]
    own: frozenset[int]
    leaf: int | tuple[LearnedStep, ...] | None
    relied: tuple[tuple[int, Call], ...] = ()
    for_premises: tuple[tuple[int, str], ...] = ()


@define
class SharedPath:
    """A path without its reads, which a `PathTable` has at these places.

    ``learned_by`` has, for each process that learned it, the number that it has there.
    """

    path: LearnedPath
    indices: tuple[int, ...]
    learned_by: dict[str, int]


class PathTable:
    """Paths of several workers; a read that many of them have is stored once."""

    def __init__(self) -> None:
        self.reads: list[Read] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._shared: dict[tuple[Any, ...], SharedPath] = {}

    def write(self, worker: str, number: int, path: LearnedPath) -> None:
        """Add what a process has learned; two runs along the same path are one."""
        indices = tuple(map(self._place, path.reads))
        key = path.instance, indices
        if key not in self._shared:
            self._shared[key] = SharedPath(evolve(path, reads=()), indices, {})
        self._shared[key].learned_by[worker] = number

    @property
    def paths(self) -> list[SharedPath]:
        """All paths, each once."""
        return list(self._shared.values())

    def _place(self, read: Read) -> int:
        column, call, answer = read
        # 0 and False are equal, but not the same answer.
        key = column, call, type(answer), answer
        place = self._places.setdefault(key, len(self.reads))
        if place == len(self.reads):
            self.reads.append(read)
        return place


def learned_path(learner: Learner, instance: int, run: RecordedRun) -> LearnedPath:
    """Make a learned path of a recorded run."""
    reads = tuple(_reads(learner, run))
    own = learner.read_write_sets[instance].reads.intersection(
        read[0] for read in reads
    )
    leaf = _leaf(learner, run.leaf)
    places = {query: place for place, (query, _) in enumerate(run.reads)}
    for_premises = [(places[query], claim) for query, claim in run.for_premises]
    return LearnedPath(
        instance, reads, frozenset(own), leaf, _relied(run), tuple(for_premises)
    )


def learn_path(
    learner: Learner, path: LearnedPath, reads: Iterable[tuple[int, int]]
) -> None:
    """Add a path to a learner as if it had run the function itself.

    Args:
        reads: those of the path, in the learner's numbers.
    """
    note_reads(learner, path)
    for first, call in path.relied:
        assert learner.split is not None, "a set is split in each process or in none"
        learner.split.sets[first].rely(path.instance, call)
    known = tuple(reads)
    for_premises = [(known[place][0], claim) for place, claim in path.for_premises]
    run = RecordedRun(known, _leaf_of(learner, path), for_premises=tuple(for_premises))
    learner.keep(path.instance, run)


def note_reads(learner: Learner, path: LearnedPath) -> None:
    """Note what an instance was seen to read."""
    learner.read_write_sets[path.instance].reads.update(path.own)


def number_reads(learner: Learner, reads: Iterable[Read]) -> list[tuple[int, int]]:
    """The queries and the answers of some reads as a learner numbers them."""
    tables, numbers = learner.tables, []
    for column, call, answer in reads:
        query = tables.query(column, call)
        if call == WHOLE:
            number = learner.dictionaries[column].number(answer)
        else:
            number = learner.evaluator.answer_number(tables.queries[query][1], answer)
        numbers.append((query, number))
    return numbers


def _reads(learner: Learner, run: RecordedRun) -> Iterator[Read]:
    for query, number in run.reads:
        column, lookup = learner.tables.queries[query]
        if lookup.calls == (WHOLE,):
            yield column, WHOLE, learner.dictionaries[column].values[number]
        else:
            yield column, lookup.calls[0], lookup.answers[number]


def _relied(run: RecordedRun) -> tuple[tuple[int, Call], ...]:
    """What a run relied on, as other processes understand it.

    A filter is of code that cannot be sent: to be safe it is about all elements.
    """
    calls = [
        (first, WHOLE if call[0] == FILTERED else call) for first, call in run.relied
    ]
    return tuple(dict.fromkeys(calls))


def _leaf(
    learner: Learner, leaf: tuple[int, ...] | None
) -> int | tuple[LearnedStep, ...] | None:
    if leaf is None or leaf[0] < 0:
        return None if leaf is None else leaf[0]
    steps = []
    for step in steps_of(leaf):
        values = [
            (column, learner.dictionaries[column].values[code])
            for column, code in step.writes
            if code >= 0
        ]
        operations = [
            (column, learner.tables.operations[-1 - code].calls)
            for column, code in step.writes
            if code < 0
        ]
        which = learner.steps[step.number][1]
        steps.append(LearnedStep(which, step.broken, tuple(values), tuple(operations)))
    return tuple(steps)


def _leaf_of(learner: Learner, path: LearnedPath) -> tuple[int, ...] | None:
    if path.leaf is None or isinstance(path.leaf, int):
        return None if path.leaf is None else (path.leaf,)
    leaf = [len(path.leaf)]
    for step in path.leaf:
        writes = [
            (c, learner.dictionaries[c].number(value)) for c, value in step.values
        ]
        writes += [(c, -1 - learner.tables.operation(c, o)) for c, o in step.operations]
        leaf += (learner.step_number(path.instance, step.which), step.broken)
        leaf.append(len(writes))
        for write in sorted(writes):
            leaf += write
        accesses = learner.read_write_sets[path.instance]
        accesses.writes.update(column for column, _ in writes)
        accesses.reads.update(column for column, _ in step.operations)
    return tuple(leaf)
