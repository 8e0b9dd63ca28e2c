"""Describers: who takes part in the steps of a model, and who tells whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict, field, frozen

from replicheck.invariants.describers.log_strips import LogStrip
from replicheck.invariants.describers.rule_references import PART, RULE_ID

CELL = re.compile(r"(?P<field>\w+)(?P<index>(\[\d+\])*)")


@frozen
class Message:
    """One lane tells another something within a step."""

    source: str
    target: str


@frozen
class MessageInFlight:
    """A message between two lanes that is sent and not received yet."""

    source: str
    target: str
    kind: str


@frozen
class Link:
    """Two parameters whose participants speak with one another where both are given.

    The participant of ``source`` tells that of ``target``; in the actions of
    ``replies`` it is the other way round, and those of ``silent`` have no sender.
    """

    source: str
    target: str
    replies: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    only_news: bool = False
    """Whether the source has told something only where cells of the target changed."""


def _no_participants(state: Any) -> tuple[object, ...]:
    return ()


def _no_logs(state: Any) -> tuple[LogStrip, ...]:
    return ()


def _no_messages(state: Any) -> tuple[MessageInFlight, ...]:
    return ()


def _nothing(state: Any) -> Mapping[str, int]:
    return {}


@frozen
class ModelDescriber:
    """Says of the steps and states of one model what its cells do not tell.

    ``store`` is the lane of what is stored, and ``stored`` the fields that are;
    ``participants`` returns the numbers of the others in a state, each with a lane of
    its own, called ``noun`` and its number. ``acting`` are the parameters that name
    one, the one that acts first, and ``actors`` the actions in which another parameter
    acts; ``writing`` are the parameters that name who writes to the store, if it is not
    the one that acts. ``decides`` names the actions of the store's own lane, ``hears``
    those in which the actor hears from it; ``links`` are the parameters whose
    participants speak with one another.

    ``owner`` has the place of the participant in the index of a family, the first
    unless it says so, None where it has no owner. ``strips`` returns the logs of a
    state, ``in_flight`` its messages that are sent and not received, ``left`` how much
    of each bound that a run uses up is left in it, and ``budgets`` how often each fault
    can still happen; ``faults`` are actions that are faults without a budget.
    ``looping`` are the actions whose arguments do not tell which of several things,
    such as messages, a step takes. ``documents`` are the docstrings of the actions, by
    name.
    """

    store: str = ""
    stored: frozenset[str] = frozenset()
    noun: str = "process"
    participants: Callable[[Any], Iterable[object]] = _no_participants
    acting: tuple[str, ...] = ()
    actors: Mapping[str, str] = field(factory=dict)
    writing: tuple[str, ...] = ()
    decides: frozenset[str] = frozenset()
    hears: frozenset[str] = frozenset()
    links: tuple[Link, ...] = ()
    owner: Mapping[str, int | None] = field(factory=dict)
    strips: Callable[[Any], tuple[LogStrip, ...]] = _no_logs
    in_flight: Callable[[Any], tuple[MessageInFlight, ...]] = _no_messages
    left: Callable[[Any], Mapping[str, int]] = _nothing
    budgets: Callable[[Any], Mapping[str, int]] = _nothing
    faults: frozenset[str] = frozenset()
    looping: frozenset[str] = frozenset()
    documents: Mapping[str, str] = field(factory=dict)

    def lanes(self, state: Any) -> tuple[str, ...]:
        """Lanes of a run: the store, and every participant."""
        return (self.store, *map(self.lane_of, self.participants(state)))

    def lane_of_cell(self, cell: str) -> str | None:
        """Lane to which a cell belongs; those without an owner have none."""
        found = CELL.fullmatch(cell)
        assert found is not None, "a cell is a field with an index"
        if found["field"] in self.stored:
            return self.store
        position = self.owner.get(found["field"], 0)
        index = re.findall(r"\d+", found["index"])
        if position is None or position >= len(index):
            return None
        return self.lane_of(index[position])

    def actor(self, action: str, arguments: Mapping[str, Any]) -> str | None:
        """Lane that takes a step."""
        if action in self.decides:
            return self.store
        return self._first((self.actors.get(action, ""), *self.acting), arguments)

    def _first(
        self, parameters: Iterable[str], arguments: Mapping[str, Any]
    ) -> str | None:
        """Lane of the first parameter that is given."""
        given = (name for name in parameters if name in arguments)
        return next((self.lane_of(arguments[name]) for name in given), None)

    def messages(
        self, action: str, arguments: Mapping[str, Any], changed: Sequence[str]
    ) -> tuple[Message, ...]:
        """Messages of a step that changed the cells with these names."""
        touched = {self.lane_of_cell(cell) for cell in changed}
        told = (
            *self._with_store(action, arguments, touched),
            *self._over_links(action, arguments, touched),
        )
        return tuple(message for message in told if message.source != message.target)

    def rules(self, action: str) -> tuple[str, ...]:
        """Ids of the rules in an action's docstring."""
        parts = PART.findall(self.documents.get(action, ""))
        return tuple(rule for part in parts for rule in RULE_ID.findall(part))

    def summary(self, action: str) -> str:
        """First line of an action's docstring."""
        return next(iter(self.documents.get(action, "").strip().splitlines()), "")

    def has_loop(self, action: str) -> bool:
        """Tell whether an action loops over what a step takes."""
        return action in self.looping

    def is_fault(self, action: str, before: Any, after: Any) -> bool:
        """Tell whether a step is a fault: by its action, or by a budget it spends."""
        left = self.budgets(after)
        return action in self.faults or any(
            left[name] < count for name, count in self.budgets(before).items()
        )

    def lane_of(self, participant: object) -> str:
        """Lane of a participant."""
        return f"{self.noun} {participant}"

    @property
    def named_actions(self) -> frozenset[str]:
        """Actions of which something is said by name."""
        spoken = [name for link in self.links for name in link.replies | link.silent]
        return self.decides | self.hears | self.actors.keys() | frozenset(spoken)

    def _with_store(
        self, action: str, arguments: Mapping[str, Any], touched: set[str | None]
    ) -> Iterator[Message]:
        actor = self.actor(action, arguments)
        if actor is None:
            return
        if action in self.hears:
            yield Message(self.store, actor)
        elif self.store in touched:
            writer = None
            if action not in self.decides:
                writer = self._first(self.writing, arguments)
            yield Message(writer or actor, self.store)

    def _over_links(
        self, action: str, arguments: Mapping[str, Any], touched: set[str | None]
    ) -> Iterator[Message]:
        for link in self.links:
            if not {link.source, link.target} <= arguments.keys():
                continue
            source = self.lane_of(arguments[link.source])
            target = self.lane_of(arguments[link.target])
            if action in link.silent:
                continue
            if action in link.replies:
                yield Message(target, source)
            elif target in touched or not link.only_news:
                yield Message(source, target)


def documents_of(protocols: Iterable[Any]) -> dict[str, str]:
    """Docstrings of all actions of some protocols, by name."""
    return {
        action.__name__: action.__doc__ or ""
        for protocol in protocols
        for action in protocol.actions
    }


def faults_left(state: Any) -> Mapping[str, int]:
    """How often each fault can still happen in a state with such budgets."""
    return dict(asdict(state.faults))
