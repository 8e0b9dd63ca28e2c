"""Classes that promise how their sequence is changed: each end is learned once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NewType, Self

import pytest
from attrs import evolve, frozen

from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import sometimes
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.model.state_base import Cells
from replicheck.modelling import Queue, State
from toys import Toy

Kind = NewType("Kind", int)
KINDS = tuple(Kind(kind) for kind in range(2))
ROOM = 9


@frozen
class Inbox:
    """What was sent and not received yet, and whether the first was looked at."""

    SEQUENCE = "messages"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"head", "look", "pop"})

    messages: tuple[Kind, ...] = ()
    is_seen: bool = False

    @property
    def has_room(self) -> bool:
        """Tell whether one more may be sent."""
        return len(self.messages) < ROOM

    @property
    def head(self) -> Kind | None:
        """The kind of the message that is received next."""
        return self.messages[0] if self.messages else None

    def append(self, kind: Kind) -> Self:
        """The inbox with a message at its end."""
        return evolve(self, messages=(*self.messages, kind))

    def look(self) -> Self:
        """The inbox whose first message was looked at."""
        return evolve(self, is_seen=True)

    def pop(self) -> Self:
        """The inbox without its head."""
        return evolve(self, messages=self.messages[1:], is_seen=False)


@frozen
class Endpoint(Cells):
    """An end of a connection, with nothing but its inbox."""

    inbox: Inbox = Inbox()


def send(state: Endpoint, kind: Kind) -> Iterator[Endpoint]:
    """Send a message."""
    if state.inbox.has_room:
        yield state.evolve(inbox=state.inbox.append(kind))


def look(state: Endpoint, kind: Kind) -> Iterator[Endpoint]:
    """Look at the first message, if it is of this kind."""
    if state.inbox.head == kind:
        yield state.evolve(inbox=state.inbox.look())


def receive(state: Endpoint, kind: Kind) -> Iterator[Endpoint]:
    """Receive the next message, if it is of this kind and was looked at."""
    if state.inbox.head == kind and state.inbox.is_seen:
        yield state.evolve(inbox=state.inbox.pop())


def a_full_inbox_begins_with_the_last_kind(state: Endpoint) -> bool:
    """There is no room, and what was sent first is of the last kind."""
    return not state.inbox.has_room and state.inbox.head == KINDS[-1]


CLAIMS = [sometimes(a_full_inbox_begins_with_the_last_kind)]
MODEL = Toy((send, look, receive), (Endpoint(),), domains={Kind: KINDS})


class OwnEndpoint(State):
    """An end of a connection, as in a model of one's own."""

    inbox: Queue[Kind] = Queue()


def send_on(state: OwnEndpoint, kind: Kind) -> Iterator[OwnEndpoint]:
    """Send a message."""
    if state.inbox.has_room(ROOM):
        yield state.evolve(inbox=state.inbox.append(kind))


def receive_any(state: OwnEndpoint) -> Iterator[OwnEndpoint]:
    """Receive the next message."""
    if state.inbox:
        yield state.evolve(inbox=state.inbox.pop())


OWN_MODEL = Toy((send_on, receive_any), (OwnEndpoint(),), domains={Kind: KINDS})


def count_calls(
    kind: type, names: tuple[str, ...], patch: pytest.MonkeyPatch
) -> Counter[str]:
    """Have operations of a class be counted from now on."""
    calls: Counter[str] = Counter()

    def counted(name: str) -> None:
        plain = getattr(kind, name)

        def method(inbox: Any, *arguments: Kind) -> Any:
            calls[name] += 1
            return plain(inbox, *arguments)

        method.__annotations__["return"] = "Self"
        patch.setattr(kind, name, method)

    for name in names:
        counted(name)
    return calls


def test_few_queues_of_own_models_are_changed_by_their_methods(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`Queue` of `replicheck.modelling` promises what engines need to know."""
    expected = Naive().explore(OWN_MODEL, [])
    calls = count_calls(Queue, ("append", "pop"), monkeypatch)
    assert BreadthFirst().explore(OWN_MODEL, []) == expected
    assert expected.states == 2 ** (ROOM + 1) - 1
    assert 0 < sum(calls.values()) < 200


def test_few_values_are_changed_by_the_methods_of_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The report is that of the engine that calls them for each state."""
    expected = Naive().explore(MODEL, CLAIMS)
    calls = count_calls(Inbox, ("append", "look", "pop"), monkeypatch)
    report = BreadthFirst(threads=2).explore(MODEL, CLAIMS)
    assert report == expected
    values = report.statistics.values
    assert values is not None
    assert values["inbox"] > 2_000
    assert sum(calls.values()) < 500


@pytest.mark.parametrize("sample", [1, 64])
def test_a_thorough_search_agrees(sample: int) -> None:
    """Each value is then changed by the methods of the model, and compared."""
    expected = Naive().explore(MODEL, CLAIMS)
    assert BreadthFirst(sample=sample).explore(MODEL, CLAIMS) == expected


def send_and_empty(state: Endpoint) -> Iterator[Endpoint]:
    """Write into the frozen inbox of the state before."""
    if state.inbox.has_room:
        after = state.evolve(inbox=state.inbox.append(KINDS[0]))
        with suppress(AttributeError):
            object.__setattr__(state.inbox, "messages", ())
        yield after


def test_a_queue_that_is_changed_in_place_is_named() -> None:
    """Its values are made when they are asked for; those that are kept are checked."""
    model = Toy((send_and_empty,), (Endpoint(Inbox((KINDS[0],))),))
    with pytest.raises(ModelError, match="changed the value of `inbox` in place"):
        BreadthFirst(threads=1).explore(model, [])


def append_unless_full(inbox: Inbox, kind: Kind) -> Inbox:
    """Lose a message that is the fourth."""
    kept = (*inbox.messages, kind)[:3]
    return evolve(inbox, messages=kept)


def append_and_note(inbox: Inbox, kind: Kind) -> Inbox:
    """Change another field."""
    return Inbox((*inbox.messages, kind), is_seen=True)


def append_at_the_head(inbox: Inbox, kind: Kind) -> Inbox:
    """Put the message at the wrong end."""
    return evolve(inbox, messages=(kind, *inbox.messages))


def pop_the_last(inbox: Inbox) -> Inbox:
    """Take the wrong message away."""
    return Inbox(inbox.messages[:-1])


def pop_all_of_many(inbox: Inbox) -> Inbox:
    """Take all away where there are five."""
    return Inbox(inbox.messages[1:] if len(inbox.messages) < 5 else ())


def pop_none_of_many(inbox: Inbox) -> Inbox:
    """Raise where there are five."""
    if len(inbox.messages) == 5:
        raise ValueError
    return Inbox(inbox.messages[1:])


@pytest.mark.parametrize(
    "method",
    [
        append_unless_full,
        append_and_note,
        append_at_the_head,
        pop_the_last,
        pop_all_of_many,
        pop_none_of_many,
    ],
)
def test_a_false_promise_is_an_error(
    method: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the class, the method, a value, and what to take out."""
    name = str(getattr(method, "__name__", "")).partition("_")[0]
    getattr(method, "__annotations__", {})["return"] = "Self"
    monkeypatch.setattr(Inbox, name, method)
    end = "AT_END" if name == "append" else "AT_HEAD"
    with pytest.raises(ModelError, match=rf"`Inbox` promises .* `{end}` that `.{name}"):
        BreadthFirst().explore(MODEL, CLAIMS)


def test_an_operation_at_no_end_is_asked_of_each_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also one that is promised to commute with others."""
    pop_the_last.__annotations__["return"] = "Self"
    monkeypatch.setattr(Inbox, "pop", pop_the_last)
    monkeypatch.setattr(Inbox, "AT_HEAD", frozenset({"head", "look"}))
    monkeypatch.setattr(Inbox, "COMMUTING", frozenset({"pop"}), raising=False)
    found = BreadthFirst().explore(MODEL, CLAIMS)
    assert found == Naive().explore(MODEL, CLAIMS)


@pytest.mark.parametrize("name", ["message", "is_seen"])
def test_a_promise_names_a_field_with_a_tuple(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise nothing is known of the class."""
    monkeypatch.setattr(Inbox, "SEQUENCE", name)
    with pytest.raises(ModelError, match="expected the name of a field"):
        BreadthFirst().explore(MODEL, CLAIMS)


def test_a_value_that_has_no_place_ends_the_use_of_the_promise() -> None:
    """The values keep their numbers and their hashes."""
    known = Dictionary("inbox", Hasher())
    inboxes = [Inbox(), Inbox((Kind(1),)), Inbox((Kind(1), Kind(0)))]
    assert [known.number(inbox) for inbox in inboxes] == [0, 1, 2]
    assert known.tree is not None
    hashes = known.hashes[:3].tolist()
    with pytest.raises(ModelError, match="equal in Python"):
        known.number(Inbox((True,)))  # type: ignore[arg-type]
    assert known.tree is None
    assert list(known.values) == inboxes
    assert known.hashes[:3].tolist() == hashes
    assert [known.number(inbox) for inbox in inboxes] == [0, 1, 2]
    assert known.number(Inbox((Kind(0),))) == 3
