"""Words for functions of a model that random walks ran in Python too often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from replicheck.cli.results.result_text import slow_functions
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.search.bookkeeping import learned_dependencies, value_counts
from replicheck.explorer.statistics import FunctionRuns, Statistics


def learning_hints(learners: Sequence[Learner], steps: int) -> tuple[str, ...]:
    """Words for each function that was learned too slowly for so many steps.

    Of several learners, the one that ran longest speaks of its cells.
    """
    if not learners:
        return ()
    most = max(learners, key=_seconds)
    learned = Statistics(
        dependencies=learned_dependencies(most), values=value_counts(most)
    )
    names = sorted({name for learner in learners for name in learner.effort})
    runs = {name: _runs(name, learners) for name in names}
    return tuple(slow_functions(runs, steps, learned))


def _seconds(learner: Learner) -> float:
    return sum(effort.seconds for effort in learner.effort.values())


def _runs(name: str, learners: Sequence[Learner]) -> FunctionRuns:
    efforts = [learner.effort[name] for learner in learners if name in learner.effort]
    return FunctionRuns(
        sum(effort.runs for effort in efforts),
        sum(effort.seconds for effort in efforts),
        sum(effort.reads for effort in efforts),
        sum((effort.judged for effort in efforts), Counter[str]()),
    )
