"""Without a condition of the theorem of decision 9 a reduced search misses an order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from random_models.cells import Box, Queue
from random_models.random_processes import EVERYTHING
from random_models.small_races import RACES
from reduced.comparison import without_last_pass, without_proviso
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.native.kernels.reduction import (
    accord,
    closure,
    persistent_set,
)
from replicheck.explorer.reduction import step_selection
from replicheck.explorer.reduction.knowledge import KnowledgeSource
from replicheck.explorer.reduction.value_space import ValueSpace
from replicheck.explorer.reduction.visited_levels import VisitedLevels
from replicheck.explorer.report import Outcome, Report

KERNEL = (accord, closure, persistent_set)


def replace(patch: pytest.MonkeyPatch, name: str, function: Callable[..., Any]) -> None:
    """Replace a function of the kernel wherever it is called."""
    for module in KERNEL:
        patch.setattr(module, name, function, raising=False)


def interpret(patch: pytest.MonkeyPatch) -> None:
    """Run the kernel as plain Python, so that a part of it can be replaced."""
    plain = persistent_set.choose.py_func
    for module in KERNEL:
        for name, function in list(vars(module).items()):
            if hasattr(function, "py_func"):
                patch.setattr(module, name, function.py_func)

    def choose(know: Any, rows: Any, steps: Any, reached: Any) -> None:
        plain(know.argument, rows, steps.argument, reached.argument)

    patch.setattr(step_selection, "choose", choose)


def without_commuting(patch: pytest.MonkeyPatch) -> None:
    """Two leaves may write the same cell."""
    replace(patch, "commute", lambda *arguments: True)


def without_enabling(patch: pytest.MonkeyPatch) -> None:
    """A leaf may enable or disable another one."""
    stays = accord.stays

    def only_goals(know: Any, boxes: Any, *arguments: Any) -> bool:
        return boxes is know.leaves or stays(know, boxes, *arguments)

    replace(patch, "stays", only_goals)


def without_goals(patch: pytest.MonkeyPatch) -> None:
    """A leaf may leave what has to be seen."""
    replace(patch, "leaves_goal", lambda *arguments: False)


def without_later_steps(patch: pytest.MonkeyPatch) -> None:
    """Only the leaves that are enabled now are compared."""

    def close(know: Any, reached: Any, p: int) -> bool:
        others = [
            q
            for q in reached.enabled[: list(reached.enabled).index(-1)]
            if know.leaves.instances[q] != know.leaves.instances[p]
        ]
        reached.acting[: len(others) + 1] = [*others, -1]
        return True

    replace(patch, "close", close)


def without_a_head(patch: pytest.MonkeyPatch) -> None:
    """The laws of queues are used of empty queues as well."""
    replace(patch, "has_head", lambda *arguments: True)
    know = KnowledgeSource.knowledge

    def all_have(self: KnowledgeSource, optional: frozenset[str]) -> Any:
        found = know(self, optional)
        found.has_head[:] = 1
        return found

    patch.setattr(KnowledgeSource, "knowledge", all_have)


def with_a_false_law(patch: pytest.MonkeyPatch) -> None:
    """A queue that loses what it has no room for is not asked whether it does not."""
    patch.setattr(Queue, "AT_END", frozenset({"append"}), raising=False)
    patch.setattr(Queue, "AT_HEAD", frozenset({"head", "pop"}), raising=False)
    patch.setattr(Queue, "is_empty", lambda queue: not queue.items, raising=False)
    patch.setattr(ValueSpace, "_require_promises", lambda *arguments: None)


def with_a_false_promise(patch: pytest.MonkeyPatch) -> None:
    """A box promises that its operations commute, and is not asked whether it is so."""
    patch.setattr(Box, "COMMUTING", frozenset({"add", "put"}), raising=False)
    patch.setattr(ValueSpace, "_require_promises", lambda *arguments: None)


def reduced(name: str) -> Report[Any]:
    """Search one of the small races."""
    model, properties = RACES[name]
    return ReducedBreadthFirst(threads=1).explore(model, properties, EVERYTHING)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("two writers", without_commuting),
        ("one disables", without_enabling),
        ("one is seen", without_goals),
        ("one disables later", without_later_steps),
        ("one goes round", partial(without_proviso, visited=VisitedLevels)),
        ("one disables later", without_last_pass),
        ("a queue is filled", without_a_head),
        ("a queue is full", with_a_false_law),
        ("two writers", with_a_false_promise),
    ],
)
def test_an_order_is_missed_without_a_condition_of_the_theorem(
    name: str,
    change: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So each condition is needed, and its absence is noticed."""
    interpret(monkeypatch)
    assert set(reduced(name).outcomes.values()) == {Outcome.VIOLATED}
    change(monkeypatch)
    assert Outcome.HOLDS in reduced(name).outcomes.values()
