"""Lessons: what one process learned of a function, in words that every other knows.

A lesson is one path of a decision tree. Where `tables` has numbers of views, answers,
values and operations, which differ from process to process, a lesson has themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from replicheck.explorer.learning import Learner
from replicheck.explorer.leaves import Run, steps_of
from replicheck.explorer.standing import WHOLE, Call

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

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what is equal for two runs along the same path."""
        return self.instance, tuple(
            (column, call, type(answer), answer) for column, call, answer in self.reads
        )


def told(learner: Learner, instance: int, run: Run) -> Lesson:
    """Return a run as a lesson. Runs that a view's answer ended have none."""
    reads = tuple(_reads(learner, run))
    own = learner.touched[instance].reads.intersection(read[0] for read in reads)
    return Lesson(instance, reads, frozenset(own), _leaf(learner, run.leaf))


def take(learner: Learner, lesson: Lesson) -> None:
    """Make a learner know a lesson as if it had run the function itself."""
    tables, reads = learner.tables, []
    for column, call, answer in lesson.reads:
        view = tables.view(column, call)
        if call == WHOLE:
            number = learner.domains[column].number(answer)
        else:
            number = learner.asker.answer_number(tables.views[view][1], answer)
        reads.append((view, number))
    learner.touched[lesson.instance].reads.update(lesson.own)
    learner.keep(lesson.instance, Run(tuple(reads), _leaf_of(learner, lesson)))


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
