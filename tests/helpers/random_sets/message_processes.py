"""Random processes that send each other messages, all in one set.

Each is somewhere, and its rules say on which messages it goes on, and what it sends
then. Most of what processes do is independent, so a reduction has much to leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from replicheck.explorer.properties import Property, always, no_deadlock, sometimes
from replicheck.model.modelling.values import Value
from replicheck.model.state_base import Cells
from toys import Toy

PLACES = 3
KINDS = 2


class Memo(Value):
    """A message."""

    source: int
    target: int
    kind: int


Notes = frozenset[Memo]
NONE = Notes()
Ask = Callable[[Notes, int, int, int], bool]


@frozen
class MailState(Cells):
    """Where processes are, and what was sent."""

    places: tuple[int, ...]
    notes: Notes = NONE


def was_sent(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether one message is there."""
    return Memo(source, target, kind) in notes


def came_to(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether a message of a kind was sent to a process."""
    return any(note.target == target and note.kind == kind for note in notes)


def no_memo_came_to(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether no message was sent to a process."""
    return not any(note.target == target for note in notes)


def two_are_of(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether two messages are of a kind."""
    return len([note for note in notes if note.kind == kind]) == 2


def none_are_of(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether all messages of a kind were sent to one process."""
    return all(note.kind != kind or note.source == target for note in notes)


def few_were_sent(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether few messages are there."""
    return len(notes) < 2 + kind


def none_is_there(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Tell whether no message is there."""
    return not notes


def always_is(notes: Notes, source: int, target: int, kind: int) -> bool:
    """Ask nothing."""
    return True


ASKS = (
    *(was_sent, came_to, no_memo_came_to, two_are_of, none_are_of),
    *(few_were_sent, none_is_there, always_is),
)


@frozen
class MailRule:
    """What a process asks at a place, and what it sends and takes on its way."""

    at: int
    to: int
    ask: Ask
    source: int
    kind: int
    sent: tuple[Memo, ...]
    taken: tuple[Memo, ...]

    def next_state(self, mail: MailState, process: int) -> Iterator[MailState]:
        """Yield the state after the rule, if it applies."""
        if mail.places[process] != self.at:
            return
        if not self.ask(mail.notes, self.source, process, self.kind):
            return
        notes = mail.notes
        for note in self.sent:
            notes = notes | {note}
        for note in self.taken:
            notes = notes - {note}
        yield mail.evolve(places={process: self.to}, notes=notes)


@frozen
class Arrival:
    """What comes of any message that arrives: where its target goes, and an answer.

    ``to`` has a place for each place, ``answered`` the kind of messages with an answer.
    """

    to: tuple[int, ...]
    answered: int
    may_be_lost: bool

    def next_states(self, mail: MailState, note: Memo) -> Iterator[MailState]:
        """Yield the states after a message has arrived, or is lost."""
        notes, place = mail.notes - {note}, mail.places[note.target]
        if self.may_be_lost:
            yield mail.evolve(notes=notes)
        if note.kind == self.answered:
            notes |= {Memo(note.target, note.source, (note.kind + 1) % KINDS)}
        yield mail.evolve(places={note.target: self.to[place]}, notes=notes)


@frozen
class MailSystem:
    """The rules of each process, and what is claimed of two."""

    rules: tuple[tuple[MailRule, ...], ...]
    claim: tuple[int, int, Ask, int]
    begins_with: Notes
    arrival: Arrival | None

    @property
    def checked(self) -> tuple[Toy, list[Property]]:
        """The model, and its properties."""
        numbered = chain.from_iterable(
            [(process, rule) for rule in rules]
            for process, rules in enumerate(self.rules)
        )
        actions = tuple(
            _action(number, process, rule)
            for number, (process, rule) in enumerate(numbered)
        )
        if self.arrival is not None:
            actions += (_arrive(self.arrival),)
        starts = MailState((0,) * len(self.rules), self.begins_with)
        return Toy(actions, (starts,)), self._properties

    @property
    def _properties(self) -> list[Property]:
        place, second_place, ask, kind = self.claim

        def is_not_met(mail: MailState) -> bool:
            return mail.places[0] != place or mail.places[-1] != second_place

        def is_heard(mail: MailState) -> bool:
            return mail.places[0] == place and ask(mail.notes, 0, 1, kind)

        return [always(is_not_met), sometimes(is_heard), no_deadlock()]


def _action(number: int, process: int, rule: MailRule) -> Callable[..., Any]:
    def act(mail: MailState) -> Iterator[MailState]:
        yield from rule.next_state(mail, process)

    act.__name__ = f"act_{number}"
    return act


def _arrive(arrival: Arrival) -> Callable[..., Any]:
    def arrive(mail: MailState) -> Iterator[MailState]:
        for note in sorted(mail.notes, key=repr):
            yield from arrival.next_states(mail, note)

    return arrive


@st.composite
def _systems(draw: st.DrawFn) -> MailSystem:
    count = draw(st.integers(2, 5))
    process, kind = st.integers(0, count - 1), st.integers(0, KINDS - 1)
    few = st.lists(st.builds(Memo, process, process, kind), max_size=2).map(tuple)
    none: st.SearchStrategy[tuple[Memo, ...]] = st.just(())
    place = st.integers(0, PLACES - 1)
    ask: st.SearchStrategy[Ask] = st.sampled_from(ASKS)
    arrivals = st.builds(Arrival, st.tuples(*[place] * PLACES), kind, st.booleans())

    def rules(at: int) -> st.SearchStrategy[MailRule]:
        to = st.sampled_from([at + 1, at + 1, at + 1, 0]).map(lambda to: to % PLACES)
        return st.builds(
            MailRule, st.just(at), to, ask, process, kind, few, none | none | few
        )

    return MailSystem(
        tuple(
            tuple(draw(rules(at)) for at in range(draw(st.integers(1, PLACES))))
            for _ in range(count)
        ),
        draw(st.tuples(place, place, ask, kind)),
        frozenset(draw(few)),
        draw(st.none() | arrivals),
    )


MAIL_SYSTEMS = _systems()
