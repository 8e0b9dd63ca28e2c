"""Look for steps that an exploration could take alone, before all others.

``python bench/invisible.py [SCENARIO ...]`` searches scenarios of up to 600,000 states
and prints a line of Markdown for each: its states; how many actions, each with its
arguments, are ever taken; how many of them write no cell that a property reads; and how
many touch no cell that another writes, nor write one that another touches. Cells are
those that the engine has learned. Where there are few states, the last two columns say
how many would be left if one knew of each state which step, if any, goes with all that
can happen before it: first if no property saw it, then if it must leave every
property's answer as it is. That is known after a search of all states only.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst, judged_levels
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import DISABLED
from replicheck.invariants.catalogue.catalogue import Catalogue

MOST_STATES, FEW_STATES = 600_000, 9_000
Row = tuple[int, ...]
Graph = Mapping[Row, Mapping[int, tuple[Row, ...]]]
"""For each state what each action that is possible leads to."""


def searched(catalogue: Catalogue, name: str) -> tuple[Learner, int, bool]:
    """The learner of a search, its states, and whether these are all."""
    (task,) = tasks(catalogue, [name], Overrides("breadth-first"))
    search = Search(Limits(states=MOST_STATES), Stop.EXHAUSTED)
    with BreadthFirst(threads=1)._search(task.model, task.properties, search) as run:
        run.begin()
        report = run.report(judged_levels(run).search())
        return run.learner, report.states, report.cut is None


def taken(learner: Learner) -> list[int]:
    """The actions that were taken, by number."""
    return [
        number
        for number, each in enumerate(learner.functions)
        if each.role is Role.ACTION and learner.read_write_sets[number].writes
    ]


def seen(learner: Learner) -> set[int]:
    """The columns that properties read, those of steps included."""
    found: set[int] = set()
    for number, each in enumerate(learner.functions):
        own = learner.read_write_sets[number].reads
        if each.role is Role.ACTION:
            bit = np.uint64(1 << (number & 63))
            readers = learner.tables.trees.readers[:, number >> 6] & bit
            found |= set(np.flatnonzero(readers).tolist()) - own
        else:
            found |= own
    return found


def commutes(learner: Learner, one: int, other: int) -> bool:
    """Tell whether two actions touch nothing that the other writes."""
    ours, theirs = learner.read_write_sets[one], learner.read_write_sets[other]
    return not (
        ours.writes & (theirs.reads | theirs.writes) or ours.reads & theirs.writes
    )


def graph_of(learner: Learner) -> Graph:
    """All states and steps, after a search."""
    found: dict[Row, dict[int, tuple[Row, ...]]] = {}
    todo = [tuple(learner.row(each)) for each in learner.starts]
    while todo:
        row = todo.pop()
        if row in found:
            continue
        steps = {each: tuple(learner.steps_from(each, row)) for each in taken(learner)}
        found[row] = {each: after for each, after in steps.items() if after}
        todo += [after for several in found[row].values() for after in several]
    return found


def is_in_any_order(graph: Graph, row: Row, first: int) -> bool:
    """Tell whether a step and each other of its state lead to the same in any order."""
    (after,) = graph[row][first]
    return all(
        graph[after].get(other)
        == tuple(after for each in steps for after in graph[each].get(first, ()))
        for other, steps in graph[row].items()
        if other != first
    )


def going_first(graph: Graph) -> dict[Row, list[int]]:
    """The steps of each state that go with all that can happen before them."""
    before = defaultdict(list)
    refused = set()
    for row, actions in graph.items():
        for action, steps in actions.items():
            if len(steps) != 1 or not is_in_any_order(graph, row, action):
                refused.add((row, action))
            for after in steps:
                before[after].append((row, action))
    todo = list(refused)
    while todo:
        after, action = todo.pop()
        for row, other in before[after]:
            earlier = row, action
            if other != action and action in graph[row] and earlier not in refused:
                refused.add(earlier)
                todo.append(earlier)
    return {
        row: [each for each in actions if (row, each) not in refused]
        for row, actions in graph.items()
    }


def left(
    learner: Learner, graph: Graph, may_go: Callable[[Row, int], bool]
) -> set[Row]:
    """The states that are reached if one step goes first wherever it may."""
    first = going_first(graph)
    found: set[Row] = set()
    todo = [tuple(learner.row(each)) for each in learner.starts]
    while todo:
        row = todo.pop()
        if row in found:
            continue
        found.add(row)
        alone = [each for each in first[row] if may_go(row, each)][:1]
        for each in alone or graph[row]:
            todo += graph[row][each]
    return found


def answers(learner: Learner, row: Row) -> dict[str, bool]:
    """Answers of a state: whether it violates or reaches each property."""
    found: dict[str, bool] = {}
    for number, each in enumerate(learner.functions):
        if each.property is not None:
            learner.learn(number, row)
            is_noted = learner.tables.trees.find(number, row) != DISABLED
            found[each.property.name] = found.get(each.property.name, False) or is_noted
    return found


def cells(learner: Learner, states: int, is_whole: bool) -> Iterator[str]:
    """Yield the cells of a line but for the scenario's name."""
    actions, read = taken(learner), seen(learner)
    unseen = [
        each for each in actions if not learner.read_write_sets[each].writes & read
    ]
    alone = [
        each
        for each in actions
        if all(commutes(learner, each, other) for other in actions if other != each)
    ]
    yield f"{states:,}" if is_whole else f"{states:,} of more"
    yield from (str(len(each)) for each in (actions, unseen, alone))
    if states > FEW_STATES or not is_whole:
        yield from ("", "")
        return
    graph = graph_of(learner)

    def is_silent(row: Row, action: int) -> bool:
        return answers(learner, row) == answers(learner, graph[row][action][0])

    yield f"{len(left(learner, graph, lambda row, action: True)):,}"
    yield f"{len(left(learner, graph, is_silent)):,}"


def main(names: list[str]) -> None:
    """Look at the scenarios that are named, or all."""
    catalogue = Catalogue.shipped()
    for name in names or catalogue.scenarios:
        line = " | ".join(cells(*searched(catalogue, name)))
        print(f"| `{name}` | {line} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
