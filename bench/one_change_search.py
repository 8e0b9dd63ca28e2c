"""One search for all changes of a file: which of them no run explains.

A run that explains a change shows what was observed up to the change, and the change
next. So the search walks all that explains what was observed, and each node knows for
which changes it is on the way. Where a rule refuses a node because of what is observed
later, it stays on the way of those changes that alter what the rule looks at. A change
is *possible* once a step from a node on its way shows it, and is refused if the search
ends before. So what is refused has no explanation; of what is possible nothing is said.

The model must have bounds that allow whatever those of a changed file allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from attrs import define, field, frozen

from changed_observations import Change
from changed_queues import ChangedQueues
from changes_by_place import Changes, ChangesByPlace, numbers
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.needless_steps import NeedlessSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    Label,
    Observation,
    Streams,
    matches,
)
from replicheck.explorer.engines.trace_validation.postponed_steps import (
    NOTHING,
    Postponable,
    PostponedSteps,
)
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    Successor,
)

AT_ONCE = 4096
"""Nodes whose states are expanded together."""
FEW = 4
"""A node of so many changes at most counts as one of each."""
Cursors = tuple[int, ...]


@frozen(eq=False)
class ChangeNode:
    """A state, the position in each stream, and the changes that may come next."""

    state: int
    cursors: Cursors
    changes: Changes
    postponable: Postponable = NOTHING


@frozen
class Outcome:
    """Bit sets of the changes that no run explains, and of those that a limit cut.

    Each other change is shown by a step, or took more than its share of the nodes.
    """

    refused: Changes
    cut: Changes


@define
class OneChangeSearch:
    """A search of all nodes that are on the way of a change.

    It has ``most_nodes``, and for nodes of few changes a ``share`` for each change.
    """

    table: StateTable
    streams: Streams
    hidden: HiddenSteps
    changes: Sequence[Change]
    most_nodes: int
    share: int
    _places: ChangesByPlace = field(init=False)
    _postponed: PostponedSteps = field(init=False)
    _needless: NeedlessSteps = field(init=False)
    _queues: ChangedQueues = field(init=False)
    _open: Changes = field(init=False)
    """Changes that no step has shown so far, and that are in their budget."""
    _spent: Counter[int] = field(init=False, factory=Counter)
    _levels: dict[int, list[ChangeNode]] = field(init=False, factory=dict)
    """Nodes to visit, by the number of observations behind them."""
    _found: dict[tuple[int, Cursors, Postponable], Changes] = field(
        init=False, factory=dict
    )
    _matches: dict[tuple[int, int], bool] = field(init=False, factory=dict)
    _kept: list[Label | Observation] = field(init=False, factory=list)
    """Keeps alive what has an identity that is a key."""

    def __attrs_post_init__(self) -> None:
        self._places = ChangesByPlace(self.streams, self.changes)
        self._postponed = PostponedSteps(self.table, self.hidden.late)
        self._needless = NeedlessSteps.of(self.table, self.streams, self.hidden)
        self._queues = ChangedQueues(
            self._places, self._needless.queues, self.hidden.clears
        )
        self._open = self._places.all

    def outcome(self) -> Outcome:
        """Visit nodes by the number of observations behind them, up to the limit."""
        cursors = (0,) * len(self.streams.names)
        for start in self.table.starts:
            self._push(ChangeNode(start, cursors, self._places.all))
        visited = 0
        while self._levels and visited < self.most_nodes:
            level = min(self._levels)
            nodes = self._levels.pop(level)
            if len(nodes) > AT_ONCE:
                self._levels[level] = nodes[AT_ONCE:]
            visited += self._visit(nodes[:AT_ONCE])
        pending = 0
        for node in chain.from_iterable(self._levels.values()):
            pending |= node.changes
        return Outcome(self._open & ~pending, self._open & pending)

    def _push(self, node: ChangeNode) -> None:
        """Note a node if it is new for a change."""
        key = node.state, node.cursors, node.postponable
        freer = node.state, node.cursors, NOTHING
        known = self._found.get(key, 0)
        new = node.changes & self._open & ~known & ~self._found.get(freer, 0)
        if new:
            self._found[key] = known | new
            made = ChangeNode(node.state, node.cursors, new, node.postponable)
            self._levels.setdefault(sum(node.cursors), []).append(made)

    def _visit(self, nodes: Sequence[ChangeNode]) -> int:
        """Push what follows some nodes; their number."""
        ahead = []
        for node in nodes:
            changes = self._in_budget(node.changes)
            queued = self.table.queued(node.state)
            changes &= ~self._queues.refused(queued, node.cursors)
            if changes:
                ahead.append(
                    ChangeNode(node.state, node.cursors, changes, node.postponable)
                )
        self.table.expand([node.state for node in ahead])
        for node in ahead:
            self._note_ends(node)
            for following in self._children(node):
                self._push(following)
        return len(nodes)

    def _in_budget(self, changes: Changes) -> Changes:
        """Changes of a node but for those that took more than their share of nodes.

        A node of many changes is on no account.
        """
        if (changes & self._open).bit_count() > FEW:
            return changes & self._open
        for number in numbers(changes & self._open):
            self._spent[number] += 1
            if self._spent[number] > self.share:
                self._open &= ~(1 << number)
        return changes & self._open

    def _note_ends(self, node: ChangeNode) -> None:
        """Note drops of what is last where nothing else is left to be shown."""
        left = [
            stream
            for stream, seen in enumerate(self.streams.observations)
            if node.cursors[stream] < len(seen)
        ]
        if len(left) == 1:
            (stream,) = left
            at = node.cursors[stream]
            for number in numbers(node.changes & self._places.at[stream][at]):
                if len(self.changes[number].changed) == at:
                    self._open &= ~(1 << number)

    def _children(self, node: ChangeNode) -> Iterator[ChangeNode]:
        latest = self.streams.deadline(node.cursors)
        possible = []
        for step in self._choices(node):
            self._note_shown(node, step)
            cursors, changes = self._advanced(node, step.events, latest)
            if changes and self._needless.has(node.state, step, cursors):
                changes &= self._adding((*self.table.owed(step.after), *step.events))
            if changes:
                possible.append((step, cursors, changes))
        self._postponed.expand_for(node.postponable, (step for step, _, _ in possible))
        for step, cursors, changes in possible:
            hidden = self._postponed.after(node.postponable, node.state, step)
            if hidden is not None:
                yield ChangeNode(step.after, cursors, changes, hidden)

    def _adding(self, events: Sequence[Event]) -> Changes:
        """Changes with which one of some events may still come that did not before.

        A drop adds no event, a corruption may add that which it shows, and with a swap
        two events may come in their order that did not.
        """
        found = 0
        counts = Counter(stream for stream, _ in events)
        for name, label in events:
            stream = self._places.index.get(name)
            if stream is None:
                continue
            if counts[name] > 1:
                found |= self._places.swaps[stream]
            for number in numbers(self._places.corruptions[stream]):
                change = self.changes[number]
                if self._is_match(change.changed[change.position], label):
                    found |= 1 << number
        return found

    def _choices(self, node: ChangeNode) -> Sequence[Successor]:
        if node.postponable:
            return self.table.successors(node.state)
        return self._needless.choices(node.state)

    def _note_shown(self, node: ChangeNode, step: Successor) -> None:
        """Note the changes that a step shows."""
        touched, cursors = 0, list(node.cursors)
        for name, _ in step.events:
            stream = self._places.index.get(name)
            if stream is None or cursors[stream] >= len(self._places.at[stream]):
                return
            touched |= self._places.at[stream][cursors[stream]]
            cursors[stream] += 1
        for number in numbers(touched & node.changes & self._open):
            if self._is_shown(self.changes[number], node.cursors, step.events):
                self._open &= ~(1 << number)

    def _is_shown(
        self, change: Change, cursors: Cursors, events: Sequence[Event]
    ) -> bool:
        """Tell whether events are next in the streams with a change."""
        place = self._places.index[change.stream]
        streams = list(self.streams.observations)
        streams[place] = change.changed
        at = list(cursors)
        begins = []
        for name, label in events:
            stream = self._places.index[name]
            if at[stream] >= len(streams[stream]):
                return False
            seen = streams[stream][at[stream]]
            if not self._is_match(seen, label):
                return False
            begins.append(seen.begin)
            at[stream] += 1
        changed = Streams(self.streams.names, tuple(streams), self.streams.slack)
        return max(begins) <= changed.deadline(cursors)

    def _is_match(self, seen: Observation, label: Label) -> bool:
        key = id(seen), id(label)
        if key not in self._matches:
            self._kept += (seen, label)
            self._matches[key] = matches(seen.label, label)
        return self._matches[key]

    def _advanced(
        self, node: ChangeNode, events: Sequence[Event], latest: float
    ) -> tuple[Cursors, Changes]:
        """Positions behind what a step shows, and the changes that may come then."""
        changes, cursors = node.changes & self._open, list(node.cursors)
        for name, label in events:
            stream = self._places.index.get(name)
            if stream is None or cursors[stream] >= len(
                self.streams.observations[stream]
            ):
                return node.cursors, 0
            seen = self.streams.observations[stream][cursors[stream]]
            if not self._is_match(seen, label):
                return node.cursors, 0
            if seen.begin > latest:
                changes &= self._in_time(node.cursors, seen.begin)
            cursors[stream] += 1
            later = self._places.later[stream][cursors[stream]]
            changes &= ~self._places.of[stream] | later
        return tuple(cursors), changes

    def _in_time(self, cursors: Cursors, begin: int) -> Changes:
        """Changes with which no next observation ended before a time."""
        slack = self.streams.slack
        assert slack is not None, "only clocks refuse a time"
        late = [
            stream
            for stream, seen in enumerate(self.streams.observations)
            if cursors[stream] < len(seen) and seen[cursors[stream]].end + slack < begin
        ]
        if len(late) > 1:
            return 0
        (stream,) = late
        found = 0
        for number in numbers(self._places.at[stream][cursors[stream]]):
            following = self.changes[number].changed[cursors[stream] :]
            if not following or following[0].end + slack >= begin:
                found |= 1 << number
        return found
