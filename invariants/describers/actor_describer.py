"""Who takes part in a step, and who tells whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict, field, frozen

from replicheck.invariants.catalogue.rules import PART
from replicheck.invariants.describers.log_strips import Strip

RULE_ID = re.compile(r"\b[A-Z](?:-[A-Z]+)*(?:-[0-9]+)?\b(?=[,.;\s]|$)")
CELL = re.compile(r"(?P<field>\w+)(?P<index>(\[\d+\])*)")
BROKERS = ("controller", "broker", "follower", "leader")
"""The parameters that name a broker, the one that acts first."""
GHOSTS: Mapping[str, None] = {"committed": None, "next_records": None}
"""Fields that no broker owns: history that exists for properties only."""


@frozen
class Message:
    """One lane tells another something within a step."""

    source: str
    target: str


@frozen
class Voice:
    """Speaks for one model.

    ``store`` is the lane of what is stored, and ``stored`` the fields that are;
    ``left`` returns how much of each bound that a run uses up is left in a state;
    ``owner`` has the place of the broker in the index of a family, the first unless it
    says so, None where no broker owns it. ``decides`` names the actions of the store's
    own lane, ``asks`` those in which a follower asks a leader, ``alone`` those in which
    a broker speaks to nobody, ``hears`` those in which it hears from the store.
    """

    store: str
    stored: frozenset[str]
    strips: Callable[[Any], tuple[Strip, ...]]
    documents: Mapping[str, str]
    left: Callable[[Any], Mapping[str, int]]
    owner: Mapping[str, int | None] = field(factory=dict)
    decides: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    hears: frozenset[str] = frozenset()

    def lanes(self, state: Any) -> tuple[str, ...]:
        """Return the store and every broker."""
        return (self.store, *map(lane_of, state.bounds.broker_ids))

    def lane_of_cell(self, cell: str) -> str | None:
        """Return the lane to which a cell belongs; ghosts and budgets have none."""
        found = CELL.fullmatch(cell)
        assert found is not None, "a cell is a field with an index"
        if found["field"] in self.stored:
            return self.store
        position = self.owner.get(found["field"], 0)
        index = re.findall(r"\d+", found["index"])
        if position is None or position >= len(index):
            return None
        return lane_of(index[position])

    def actor(self, action: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the lane that takes a step."""
        if action in self.decides:
            return self.store
        if "leader" in arguments and _is_of_leader(action):
            return lane_of(arguments["leader"])
        named = [lane_of(arguments[each]) for each in BROKERS if each in arguments]
        return named[0] if named else None

    def messages(
        self, action: str, arguments: Mapping[str, Any], changed: Sequence[str]
    ) -> tuple[Message, ...]:
        """Return who told whom in a step that changed the cells with these names."""
        touched = {self.lane_of_cell(each) for each in changed}
        told = (
            *self._with_store(action, arguments, touched),
            *self._between_brokers(action, arguments, touched),
        )
        return tuple(each for each in told if each.source != each.target)

    def rules(self, action: str) -> tuple[str, ...]:
        """Return the ids of the rules in an action's docstring."""
        parts = PART.findall(self.documents.get(action, ""))
        return tuple(rule for part in parts for rule in RULE_ID.findall(part))

    def _with_store(
        self, action: str, arguments: Mapping[str, Any], touched: set[str | None]
    ) -> Iterator[Message]:
        who = self.actor(action, arguments)
        if who is None:
            return
        if action in self.hears or action.startswith(("read_", "list_", "deliver_")):
            yield Message(self.store, who)
        elif self.store in touched:
            yield Message(who, self.store)

    def _between_brokers(
        self, action: str, arguments: Mapping[str, Any], touched: Iterable[str | None]
    ) -> Iterator[Message]:
        if {"controller", "broker"} <= arguments.keys():
            ends = [lane_of(arguments["controller"]), lane_of(arguments["broker"])]
            if action.startswith("receive_"):
                ends.reverse()
            yield Message(*ends)
        if {"leader", "follower"} <= arguments.keys() and action not in self.alone:
            leader = lane_of(arguments["leader"])
            follower = lane_of(arguments["follower"])
            if action in self.asks:
                yield Message(follower, leader)
            elif follower in touched:
                yield Message(leader, follower)


def lane_of(broker: object) -> str:
    """Return the lane of a broker."""
    return f"broker {broker}"


def _is_of_leader(action: str) -> bool:
    """Tell whether of a leader and a follower it is the leader that acts."""
    return action.startswith("handle_") or "_isr" in action


def documents_of(protocols: Iterable[Any]) -> dict[str, str]:
    """Return the docstring of every action of some protocols, by name."""
    return {
        action.__name__: action.__doc__ or ""
        for protocol in protocols
        for action in protocol.actions
    }


def faults_left(cluster: Any) -> Mapping[str, int]:
    """Return how often each fault can still happen in a state with such budgets."""
    return dict(asdict(cluster.faults))
