"""Search for a run whose events are those that were observed.

A node is a state with the position in each stream. A step that shows an event must
match the next observation of its stream; a step that shows none is hidden and free.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field

from replicheck.explorer.engines.trace_validation.depth_first import (
    DepthFirst,
    IsNeedless,
    Node,
    is_none_needless,
    path_to,
)
from replicheck.explorer.engines.trace_validation.explanation import (
    WHOLE,
    Effort,
    Explanation,
    ExplanationEnding,
    NearMiss,
)
from replicheck.explorer.engines.trace_validation.hidden_steps import (
    ALL_ALIKE,
    HiddenSteps,
)
from replicheck.explorer.engines.trace_validation.needless_steps import NeedlessSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    Observation,
    Streams,
    differences,
)
from replicheck.explorer.engines.trace_validation.postponed_steps import (
    NOTHING,
    PostponedSteps,
)
from replicheck.explorer.engines.trace_validation.rest import NO_STEPS, Rest
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    Successor,
)
from replicheck.explorer.report import Step, Trace

MOST_FURTHEST = 200
"""Nodes of which the near misses are told."""
FIRST_BUDGET = 1000
"""Nodes of the first turn of each search; the next turns have twice as many."""
MOST_AHEAD = 1024
"""States that are expanded at once."""


@define
class ExplanationSearch:
    """A search for a run that explains observations.

    ``table`` has the states of the model; several searches can fill one table.
    ``hidden`` says which steps that nothing shows are tried last, late or at once.
    A run must end where no sequence of steps of the actions ``own`` shows an event.
    """

    table: StateTable
    streams: Streams
    hidden: HiddenSteps = ALL_ALIKE
    effort: Effort = WHOLE
    own: frozenset[str] = NO_STEPS
    _rest: Rest = field(init=False)
    _postponed: PostponedSteps = field(init=False)
    _needless: NeedlessSteps = field(init=False)
    _stream_index: dict[str, int] = field(init=False)
    _furthest: list[Node] = field(init=False, factory=list)
    """Nodes with the most observations behind them, in the order of their visits."""
    _nodes: int = 0
    _ahead: int = 1
    """So many nodes of the stack are expanded with one of which that is needed."""
    _deadline: float = float("inf")

    def __attrs_post_init__(self) -> None:
        self._rest = Rest(self.table, self.own)
        self._postponed = PostponedSteps(self.table, self.hidden.late)
        self._needless = NeedlessSteps.of(self.table, self.streams, self.hidden)
        self._stream_index = {name: i for i, name in enumerate(self.streams.names)}

    def explain(self) -> Explanation:
        """Search depth first in two orders of steps by turns, each turn longer.

        The first leaves out needless steps, so it ends earlier where there is no
        explanation. The second takes them, since the way to an explanation that has
        some is often shorter. The answer is `NOT_EXPLAINED` only if a search visited
        every node.
        """
        begun = time.monotonic()
        if self.effort.seconds is not None:
            self._deadline = begun + self.effort.seconds
        searches = [
            DepthFirst(self._roots(), self._unlikely_last, self._needless.has),
            DepthFirst(self._roots(), self._hidden_in_reverse, is_none_needless),
        ]
        ending = ExplanationEnding.UNDECIDED
        budget = min(FIRST_BUDGET, max(1, self.effort.nodes // 2))
        while ending is ExplanationEnding.UNDECIDED and self._has_effort_left:
            for search in searches:
                left = self.effort.nodes - self._nodes
                ending = self._continue(search, min(budget, left))
                if ending is not ExplanationEnding.UNDECIDED:
                    break
            budget *= 2
        return self._explanation(ending, time.monotonic() - begun)

    @property
    def _has_effort_left(self) -> bool:
        return self._nodes < self.effort.nodes and time.monotonic() <= self._deadline

    def _roots(self) -> list[Node]:
        cursors = (0,) * len(self.streams.names)
        return [Node(number, cursors) for number in self.table.starts]

    def _continue(self, search: DepthFirst, budget: int) -> ExplanationEnding:
        """Go on with a search, visiting so many nodes more at most."""
        for _ in range(budget):
            if not search.stack:
                return ExplanationEnding.NOT_EXPLAINED
            node = search.stack.pop()
            self._nodes += 1
            self._note(node)
            if self._shows_all(node) and self._rest.is_at(node.state):
                self._furthest = [node]
                return ExplanationEnding.EXPLAINED
            if time.monotonic() > self._deadline:
                search.stack.append(node)
                break
            if self._needless.lead_all_from(node.state, node.cursors):
                continue
            self._expand(node, search.stack)
            search.push(self._children(node, search.is_needless))
        return ExplanationEnding.UNDECIDED

    def _shows_all(self, node: Node) -> bool:
        return sum(node.cursors) == self.streams.count

    def _expand(self, node: Node, stack: list[Node]) -> None:
        """Find the steps from a node, and from what may be visited soon after it.

        The longer no observation was explained, the more: to expand many states at once
        takes much less time than to expand each.
        """
        if self.table.is_expanded(node.state):
            return
        self.table.expand([node.state, *(n.state for n in stack[-self._ahead :])])
        self._ahead = min(2 * self._ahead, MOST_AHEAD)

    def _note(self, node: Node) -> None:
        """Keep a node if none before it has more observations behind it."""
        if self._furthest and sum(node.cursors) > sum(self._furthest[0].cursors):
            self._furthest.clear()
            self._ahead = 1
        if not self._furthest or (
            len(self._furthest) < MOST_FURTHEST
            and sum(node.cursors) == sum(self._furthest[0].cursors)
        ):
            self._furthest.append(node)

    def _children(self, node: Node, is_needless: IsNeedless) -> Iterator[Node]:
        latest = self.streams.deadline(node.cursors)
        possible = []
        for step in self._choices(node):
            cursors = self._advanced(node.cursors, step.events, latest)
            if cursors is None or is_needless(node.state, step, cursors):
                continue
            possible.append((cursors, step))
        if self._shows_all(node):
            # A late step may lead to rest, though no other step depends on it.
            for cursors, step in possible:
                yield Node(step.after, cursors, node, step, NOTHING)
            return
        self._postponed.expand_for(node.postponable, (step for _, step in possible))
        for cursors, step in possible:
            hidden = self._postponed.after(node.postponable, node.state, step)
            if hidden is not None:
                yield Node(step.after, cursors, node, step, hidden)

    def _choices(self, node: Node) -> Sequence[Successor]:
        """The steps from a node; where a late one may follow, all of them."""
        if node.postponable:
            return self.table.successors(node.state)
        return self._needless.choices(node.state)

    def _advanced(
        self, cursors: tuple[int, ...], events: tuple[Event, ...], latest: float
    ) -> tuple[int, ...] | None:
        """Positions behind the events of a step, or None if one was not observed."""
        if not events:
            return cursors
        following = list(cursors)
        for stream, label in events:
            observation = self._next(following, stream)
            if observation is None or observation.begin > latest:
                return None
            if not self.table.matches.has(observation.label, label):
                return None
            following[self._stream_index[stream]] += 1
        return tuple(following)

    def _next(self, cursors: Sequence[int], stream: str) -> Observation | None:
        """Next observation of a stream, or None at its end."""
        index = self._stream_index.get(stream)
        if index is None or cursors[index] >= len(self.streams.observations[index]):
            return None
        return self.streams.observations[index][cursors[index]]

    def _unlikely_last(self, nodes: list[Node]) -> list[Node]:
        """Nodes to push, the last being visited first: unlikely steps at the end."""
        backwards = nodes[::-1]
        backwards.sort(
            key=lambda node: (self._begin(node), self._is_unlikely(node)), reverse=True
        )
        return backwards

    def _hidden_in_reverse(self, nodes: list[Node]) -> list[Node]:
        """Nodes to push: hidden steps against the order of exploration."""
        return sorted(nodes, key=self._begin, reverse=True)

    def _is_unlikely(self, node: Node) -> bool:
        step = node.step
        return (
            step is not None
            and not step.events
            and step.action.name in self.hidden.unlikely
        )

    def _begin(self, node: Node) -> float:
        """Time of the event that a node's step shows; of a hidden step, infinity."""
        step, parent = node.step, node.parent
        assert step is not None and parent is not None, "a root is not ranked"
        if not step.events:
            return float("inf")
        begins = [
            observation.begin
            for stream, _ in step.events
            if (observation := self._next(parent.cursors, stream)) is not None
        ]
        return max(begins)

    def _explanation(self, ending: ExplanationEnding, seconds: float) -> Explanation:
        # Where time was over before the first node, it got as far as to a root.
        node = (self._furthest or self._roots())[0]
        path = path_to(node)
        return Explanation(
            ending,
            Trace(self.table.state(path[0].state), tuple(map(self._step, path[1:]))),
            tuple(tuple(self._observed(after)) for after in path[1:]),
            self.streams.count,
            self._nodes,
            len(self.table),
            seconds,
            tuple(self.streams.heads(node.cursors)),
            () if ending is ExplanationEnding.EXPLAINED else self._near_misses(),
            self._rest.told(node.state) if self._shows_all(node) else (),
        )

    def _step(self, node: Node) -> Step[Any]:
        assert node.step is not None, "a root has no step"
        action = node.step.action
        return Step(action.name, dict(action.arguments), self.table.state(node.state))

    def _observed(self, node: Node) -> Iterator[Observation]:
        """Observations that the step to a node explains."""
        assert node.parent is not None, "a root has no step"
        ends = zip(
            self.streams.observations, node.parent.cursors, node.cursors, strict=True
        )
        for observations, begin, end in ends:
            yield from observations[begin:end]

    def _near_misses(self) -> tuple[NearMiss, ...]:
        """Near misses in the furthest nodes, those with fewest differences first."""
        found: dict[tuple[str, str], NearMiss] = {}
        self.table.expand(node.state for node in self._furthest)
        for node in self._furthest:
            for miss in self._near_misses_of(node):
                found.setdefault((miss.step, miss.observation.stream), miss)
        return tuple(sorted(found.values(), key=lambda miss: len(miss.differences)))

    def _near_misses_of(self, node: Node) -> Iterator[NearMiss]:
        for step in self.table.successors(node.state):
            for stream, label in step.events:
                observation = self._next(node.cursors, stream)
                if observation is not None:
                    places = tuple(differences(observation.label, label))
                    yield NearMiss(step.action.label, observation, places)
