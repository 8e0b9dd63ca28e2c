"""The search that takes down the graph of all states."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Generic

from attrs import frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import judged_levels
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.engines.liveness.edge_recorder import EdgeRecorder
from replicheck.explorer.engines.liveness.marked_model import MarkedModel, mark_of
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import encoding_watch, until_found
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.liveness.state_graph import StateGraph
from replicheck.explorer.model import ActionFunction, Model, Predicate, S
from replicheck.explorer.report import Failure, Trace
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.parent_pointers import ParentPointers
from replicheck.explorer.states.encoding import AT_FIRST, Encoding


@frozen
class SearchedGraph(Generic[S]):
    """The graph of a search, and how to tell runs through it.

    There is no graph if the search was stopped or a function of the model raised.
    """

    learner: Learner
    path: ParentPointers
    graph: StateGraph | None
    stopped_by: str | None = None
    failure: Failure[S] | None = None

    def trace(self, state: int, edges: Sequence[int]) -> Trace[S]:
        """The run to a state by the shortest way, then along edges."""
        assert self.graph is not None, "there is no graph"
        begin: Trace[S] = self.path.trace(self.learner, *self.graph.place(state))
        steps = self.graph.edges.steps[list(edges)].tolist()
        row = self.learner.row(begin.states[-1])
        taken = [self.learner.steps[step] for step in steps]
        rest = self.learner.trace(row, taken)
        return Trace(begin.start, (*begin.steps, *rest.steps))


def search_graph(
    model: Model[S], predicates: Sequence[Predicate], search: Search, threads: int
) -> SearchedGraph[S]:
    """The graph of all states of a model, marked by predicates."""
    marks: dict[ActionFunction, Predicate] = {
        mark_of(predicate): predicate for predicate in predicates
    }
    marked = MarkedModel(model, tuple(marks))
    started = time.monotonic()

    def searched(encoding: Encoding) -> SearchedGraph[S]:
        learner = Learner(marked, (), encoding=encoding)
        return _searched(learner, marks, search, threads, started)

    return until_found(searched, AT_FIRST)


def _searched(
    learner: Learner,
    marks: Mapping[ActionFunction, Predicate],
    search: Search,
    threads: int,
    started: float,
) -> SearchedGraph[S]:
    """The graph of all states of a learner's model, in the time since it started.

    Raises:
        EncodedOtherwise: if sets are to be split otherwise.
    """
    recorder = EdgeRecorder(learner, marks)
    level_search: LevelSearch[S] = LevelSearch(
        learner.model,
        (),
        search,
        ThreadPool(threads or os.cpu_count() or 1),
        learner,
        KeyPrecision.BITS_64,
        None,
        recorder,
    )
    level_search.expander.chunk_walker.allow_plain_runs()
    level_search.bookkeeping.started = started
    level_search.between_levels = encoding_watch(learner)
    try:
        level_search.begin()
        ending = judged_levels(level_search).search()
    finally:
        level_search.close()
    stopped_by, graph = ending.stopped_by, None
    if stopped_by is None and ending.failure is None:
        try:
            level_search.storage.budget.require_room(recorder.room_to_judge)
            graph = recorder.graph()
        except MemoryError:
            stopped_by = "memory"
    path = level_search.storage.path
    return SearchedGraph(learner, path, graph, stopped_by, ending.failure)
