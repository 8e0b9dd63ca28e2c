"""Lessons: what one process learned of a function, in words that every other knows.

A lesson is one path of a decision tree. Where `tables` has numbers of views, answers,
values and operations, which differ from process to process, a lesson has themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, evolve, frozen

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.proxies.calls import WHOLE, Call
from replicheck.explorer.tables.leaves import Run, steps_of

Read = tuple[int, Call, Any]
"""A column, what was asked of it, and the answer."""


@frozen
class Step:
    """One step of an action: what it writes, and the step properties that it breaks.

    A write is a column and a value, or the calls of an operation.
    """

    which: int
    broken: int
    values: tuple[tuple[int, Any], ...]
    operations: tuple[tuple[int, tuple[Call, ...]], ...]


@frozen
class Lesson:
    """One run of an instance.

    ``leaf`` is None where it is disabled, a number of `tables` where it tells
    something, otherwise its steps. ``own`` are the columns that the function reads
    itself, not only the step properties that judge its steps.
    """

    instance: int
    reads: tuple[Read, ...]
    own: frozenset[int]
    leaf: int | tuple[Step, ...] | None


@define
class Told:
    """A lesson without its reads, which a `Book` has at these places.

    ``tellers`` has, for each process that learned it, the number that it has there.
    """

    lesson: Lesson
    places: tuple[int, ...]
    tellers: dict[str, int]


class Book:
    """Lessons of several processes; what many of them read, it has only once."""

    def __init__(self) -> None:
        self.reads: list[Read] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._told: dict[tuple[Any, ...], Told] = {}

    def write(self, process: str, number: int, lesson: Lesson) -> None:
        """Add what a process has learned; two runs along the same path are one."""
        places = tuple(map(self._place, lesson.reads))
        key = lesson.instance, places
        if key not in self._told:
            self._told[key] = Told(evolve(lesson, reads=()), places, {})
        self._told[key].tellers[process] = number

    @property
    def lessons(self) -> list[Told]:
        """Return each lesson, once."""
        return list(self._told.values())

    def _place(self, read: Read) -> int:
        column, call, answer = read
        # 0 and False are equal, but not the same answer.
        key = column, call, type(answer), answer
        place = self._places.setdefault(key, len(self.reads))
        if place == len(self.reads):
            self.reads.append(read)
        return place


def told(learner: Learner, instance: int, run: Run) -> Lesson:
    """Return a run as a lesson."""
    reads = tuple(_reads(learner, run))
    own = learner.touched[instance].reads.intersection(read[0] for read in reads)
    return Lesson(instance, reads, frozenset(own), _leaf(learner, run.leaf))


def take(learner: Learner, lesson: Lesson, reads: Iterable[tuple[int, int]]) -> None:
    """Make a learner know a lesson as if it had run the function itself.

    Args:
        reads: what the lesson reads, in the learner's numbers.
    """
    learner.touched[lesson.instance].reads.update(lesson.own)
    learner.keep(lesson.instance, Run(tuple(reads), _leaf_of(learner, lesson)))


def numbered(learner: Learner, reads: Iterable[Read]) -> list[tuple[int, int]]:
    """Return the views and the answers of some reads as a learner numbers them."""
    tables, numbers = learner.tables, []
    for column, call, answer in reads:
        view = tables.view(column, call)
        if call == WHOLE:
            number = learner.domains[column].number(answer)
        else:
            number = learner.asker.answer_number(tables.views[view][1], answer)
        numbers.append((view, number))
    return numbers


def _reads(learner: Learner, run: Run) -> Iterator[Read]:
    for view, number in run.reads:
        column, lookup = learner.tables.views[view]
        if lookup.calls == (WHOLE,):
            yield column, WHOLE, learner.domains[column].values[number]
        else:
            yield column, lookup.calls[0], lookup.answers[number]


def _leaf(
    learner: Learner, leaf: tuple[int, ...] | None
) -> int | tuple[Step, ...] | None:
    if leaf is None or leaf[0] < 0:
        return None if leaf is None else leaf[0]
    steps = []
    for step in steps_of(leaf):
        values = [
            (column, learner.domains[column].values[code])
            for column, code in step.writes
            if code >= 0
        ]
        operations = [
            (column, learner.tables.operations[-1 - code].calls)
            for column, code in step.writes
            if code < 0
        ]
        which = learner.steps[step.number][1]
        steps.append(Step(which, step.broken, tuple(values), tuple(operations)))
    return tuple(steps)


def _leaf_of(learner: Learner, lesson: Lesson) -> tuple[int, ...] | None:
    if lesson.leaf is None or isinstance(lesson.leaf, int):
        return None if lesson.leaf is None else (lesson.leaf,)
    leaf = [len(lesson.leaf)]
    for step in lesson.leaf:
        writes = [(c, learner.domains[c].number(value)) for c, value in step.values]
        writes += [(c, -1 - learner.tables.operation(c, o)) for c, o in step.operations]
        leaf += (learner.step_number(lesson.instance, step.which), step.broken)
        leaf.append(len(writes))
        for write in sorted(writes):
            leaf += write
        touched = learner.touched[lesson.instance]
        touched.writes.update(column for column, _ in writes)
        touched.reads.update(column for column, _ in step.operations)
    return tuple(leaf)
