"""Random systems of messages: a `Set` of what was ever sent, asked in all ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import ClassVar, Self

from attrs import frozen
from hypothesis import strategies as st

from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.model.modelling.containers import Set
from replicheck.model.modelling.values import Value
from replicheck.model.state_base import Cells
from toys import Toy

NUMBERS = range(4)


class Demand(Value):
    """A message that has an answer."""

    number: int
    caller: int = 0


class Response(Value):
    """A message of another class, with a field that the other one does not have."""

    number: int
    is_late: bool = False


Message = Demand | Response
Messages = Set[Message]


class AskedInbox(Set[Message]):
    """A set with questions and operations of its own."""

    BY_ITEM: ClassVar[frozenset[str]] = frozenset({"where", "numbers"})

    def numbers(self, kind: type) -> frozenset[int]:
        """The numbers of the messages of a class: asked message by message."""
        return frozenset(m.number for m in self.items if isinstance(m, kind))

    def is_answered(self, number: int) -> bool:
        """Ask for one message of two, by a question that asks another one."""
        return any(self.has(Response(number, late)) for late in (False, True))

    def least(self) -> int:
        """The least number, by a loop over all of them."""
        return min((message.number for message in self.items), default=-1)

    def answer(self, demand: Demand) -> Self:
        """Put a response in the place of a demand."""
        return self.remove(demand).add(Response(demand.number))


NOTHING, EMPTY = Messages(), AskedInbox()


@frozen
class PostOffice(Cells):
    """A place for messages, two inboxes, and a number."""

    sent: Messages = NOTHING
    inboxes: tuple[AskedInbox, AskedInbox] = (EMPTY, EMPTY)
    count: int = 0


MESSAGES = st.one_of(
    st.builds(Demand, st.sampled_from(NUMBERS), st.sampled_from((0, 1))),
    st.builds(Response, st.sampled_from(NUMBERS), st.booleans()),
)
Guard = Callable[[PostOffice], bool]
Change = Callable[[PostOffice], Iterator[PostOffice]]


def has(message: Message) -> Guard:
    """Ask for a message."""
    return lambda post: message in post.sent


def lacks(message: Message) -> Guard:
    """Ask for a message in an inbox."""
    return lambda post: not post.inboxes[1].has(message)


def counts(number: int, most: int) -> Guard:
    """Ask how many messages have a number."""
    return lambda post: len(post.sent.where(number=number)) <= most


def is_called(number: int, caller: int) -> Guard:
    """Ask for messages of a class, by a field that others do not have."""
    return lambda post: bool(post.sent.where(Demand, number=number, caller=caller))


def raises_of_others(number: int, caller: int) -> Guard:
    """Ask for messages by a field that not all of them have."""
    return lambda post: bool(post.sent.where(number=number, caller=caller))


def has_numbers(number: int, most: int) -> Guard:
    """Ask in a way of the class's own, message by message."""
    return lambda post: (
        number in post.inboxes[0].numbers(Demand)
        or len(post.inboxes[1].numbers(Response)) <= most
    )


def is_answered(number: int, most: int) -> Guard:
    """Ask by a question that asks others."""
    return lambda post: post.inboxes[0].is_answered(number) or most < 2


def is_small(number: int, most: int) -> Guard:
    """Ask for all of an inbox."""
    return lambda post: (
        len(post.inboxes[0]) <= most or post.inboxes[1].least() == number
    )


def covers(message: Message, second: Message) -> Guard:
    """Compare with sets."""
    some = frozenset({message, second})
    return lambda post: post.sent.items >= some or post.sent.items.isdisjoint(some)


def would_have(message: Message, second: Message) -> Guard:
    """Ask what would be sent after a change."""
    return lambda post: (
        len(post.sent.add(second).remove(message).where(number=message.number)) < 2
    )


def send(message: Message) -> Change:
    """Put a message in."""

    def change(post: PostOffice) -> Iterator[PostOffice]:
        yield post.evolve(sent=post.sent.add(message), count=min(post.count + 1, 3))

    return change


def put(message: Message, second: Message) -> Change:
    """Put messages into an inbox, by its operations and by those of its set."""

    def change(post: PostOffice) -> Iterator[PostOffice]:
        first = post.inboxes[0].add(message)
        both = AskedInbox(first.items | {second})
        yield post.evolve(inboxes={0: both}, sent=post.sent.remove(message))
        yield post.evolve(inboxes={0: first.remove(second), 1: post.inboxes[1]})

    return change


def copy(message: Message, second: Message) -> Change:
    """Give one inbox what the other one has, or what was sent."""

    def change(post: PostOffice) -> Iterator[PostOffice]:
        if message in post.sent:
            yield post.evolve(inboxes={1: post.inboxes[0]})
        else:
            yield post.evolve(
                inboxes={1: AskedInbox(post.sent.where(number=second.number))}
            )

    return change


def answer(message: Message, second: Message) -> Change:
    """Answer all demands of a number, each in a step of its own, then forget."""

    def change(post: PostOffice) -> Iterator[PostOffice]:
        first, last = post.inboxes
        for demand in sorted(first.where(Demand, number=message.number), key=str):
            assert isinstance(demand, Demand)
            yield post.evolve(inboxes={0: first.answer(demand)})
        if post.count > 1:
            yield post.evolve(inboxes={0: AskedInbox(), 1: last.clear()}, count=0)
        after = post.evolve(sent=post.sent.add(second), count=0)
        if message in after.sent and len(after.sent) < 3:
            yield after.evolve(sent=after.sent.add(message))
        yield after.evolve(sent=post.sent)

    return change


def always_true(post: PostOffice) -> bool:
    """Ask nothing."""
    return post.count >= 0


SMALL = st.integers(0, 2)
NUMBER = st.sampled_from(NUMBERS)
GUARDS: st.SearchStrategy[Guard] = st.one_of(
    st.builds(has, MESSAGES),
    st.builds(lacks, MESSAGES),
    *(
        st.builds(ask, NUMBER, SMALL)
        for ask in (
            *(counts, is_called, has_numbers, is_answered, is_small),
            *(counts, is_called, has_numbers, is_answered, is_small),
            raises_of_others,
        )
    ),
    *(st.builds(ask, MESSAGES, MESSAGES) for ask in (covers, would_have)),
)
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(send, MESSAGES),
    *(st.builds(change, MESSAGES, MESSAGES) for change in (put, copy, answer)),
)


@frozen
class MessageSystem:
    """Actions, each a guard and a change; a property, and maybe a constraint."""

    rules: Sequence[tuple[Guard, Change]]
    claim: Guard
    kind: Callable[..., Property]
    limit: Guard | None

    @property
    def model(self) -> Toy:
        """The model."""
        actions = tuple(map(_action, range(len(self.rules)), self.rules))
        starts = PostOffice(), PostOffice(sent=Messages(frozenset({Response(3)})))
        constraints = () if self.limit is None else (self.limit,)
        return Toy(actions, starts, constraints)

    @property
    def checked(self) -> tuple[Toy, list[Property]]:
        """The model, and its property."""
        return self.model, self.properties

    @property
    def properties(self) -> list[Property]:
        """The property."""

        def claimed(post: PostOffice) -> bool:
            return self.claim(post)

        def stays(before: PostOffice, after: PostOffice) -> bool:
            is_left = map(is_, before.inboxes, after.inboxes)
            if after.sent is before.sent and all(is_left):
                return after.count == before.count
            return self.claim(after) or after.inboxes[0] is before.inboxes[0]

        return [self.kind(stays if self.kind is every_step else claimed)]


def _action(number: int, rule: tuple[Guard, Change]) -> Change:
    guard, change = rule

    def act(post: PostOffice) -> Iterator[PostOffice]:
        if guard(post):
            yield from change(post)

    act.__name__ = f"act_{number}"
    return act


MESSAGE_SYSTEMS = st.builds(
    MessageSystem,
    st.lists(st.tuples(st.just(always_true) | GUARDS, CHANGES), min_size=4, max_size=7),
    GUARDS,
    st.sampled_from([always, every_step, sometimes]),
    st.none() | st.none() | st.none() | GUARDS,
)
