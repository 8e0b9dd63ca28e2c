"""Queues keep what they promise of their ends: partial-order reduction rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.own_queues import ClosableQueue, LossyQueue, ShortQueue
from random_models.random_processes import Line
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_HEAD,
    NO_LAW,
)
from replicheck.explorer.proxies.calls import (
    WITH_PARTS,
    Call,
    Derived,
    apply_calls,
    evaluate_call,
)
from replicheck.explorer.proxies.operation_laws import OperationLaws
from replicheck.model.cluster.cells.channels import (
    Answer,
    Channel,
    DuplicateRequests,
    LeaderAndIsrRequest,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.cells.controller.events import (
    BrokerChange,
    ControlledShutdown,
    EventQueue,
    LateShutdowns,
    LeaderAndIsrResponseReceived,
    Reelect,
)
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    PartitionId,
)
from replicheck.modelling import Queue

TERM, SESSION = ControllerEpoch(1), BrokerEpoch(1)
PARTITION, BROKER = PartitionId(0), BrokerId(0)
REQUESTS = (
    LeaderAndIsrRequest(TERM, SESSION, ()),
    StopReplicaRequest(TERM, SESSION, (PARTITION,)),
    StopReplicaRequest(TERM, SESSION, (PARTITION,), deletes=True),
    UpdateMetadataRequest(TERM, SESSION, frozenset(), ()),
)
EVENTS = (
    Reelect(),
    BrokerChange(),
    LeaderAndIsrResponseReceived(BROKER, ((PARTITION, Answer.STORAGE_ERROR),)),
)
ANSWERS = ((), ((PARTITION, Answer.NONE),), ((PARTITION, Answer.STORAGE_ERROR),))
SHUTDOWNS = (
    ControlledShutdown(BROKER, SESSION),
    ControlledShutdown(BrokerId(1), SESSION),
)
KINDS = tuple(type(part) for part in (*REQUESTS, *EVENTS))

CALLS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "awaits": tuple((kind,) for kind in KINDS),
    "head_is": tuple((kind,) for kind in KINDS),
    "is_answered_with": ((PARTITION, Answer.NONE), (PARTITION, Answer.STORAGE_ERROR)),
    "reply": tuple((answers,) for answers in ANSWERS),
    "become": tuple((event,) for event in EVENTS),
}
"""The arguments of the methods that take some."""
OPERATIONS = {"pop", "pop_first", "reply", "lose_answer", "become"}
QUEUES: Mapping[type, tuple[Any, ...]] = {
    Channel: REQUESTS,
    DuplicateRequests: REQUESTS,
    LateShutdowns: SHUTDOWNS,
    EventQueue: EVENTS,
    Line: (0, 1),
    Queue: (0, 1),
    ClosableQueue: (0, 1),
}


def a_queue(data: st.DataObject, kind: type[Any], at_least: int) -> Any:
    """Draw a queue with so many items."""
    items = st.sampled_from(QUEUES[kind])
    queue: Any = kind()
    for item in data.draw(st.lists(items, min_size=at_least, max_size=4)):
        queue = queue.append(item)
    if kind is ClosableQueue and data.draw(st.booleans()):
        queue = queue.close()
    if kind is Channel and data.draw(st.booleans()):
        queue = queue.reply(data.draw(st.sampled_from(ANSWERS)))
    return queue


@pytest.mark.parametrize("kind", QUEUES)
@given(data=st.data())
def test_what_is_done_at_the_end_is_not_seen_at_the_head(
    kind: type[Any], data: st.DataObject
) -> None:
    """So a queue that is not empty may grow before or after its head is taken."""
    items = st.sampled_from(QUEUES[kind])
    queue = a_queue(data, kind, at_least=1)
    assert {"append"} == kind.AT_END
    end = [("append", (data.draw(items),))]
    assert not apply_calls(queue, end).is_empty()
    for name in sorted(kind.AT_HEAD):
        for arguments in CALLS.get(name, ((),)):
            at_head = (name, arguments)
            if name in OPERATIONS:
                one = apply_calls(queue, [*end, at_head])
                assert one == apply_calls(queue, [at_head, *end])
            else:
                grown = apply_calls(queue, end)
                assert evaluate_call(grown, at_head) == evaluate_call(queue, at_head)


def operations_of(kind: type[Any]) -> list[str]:
    """The names of all operations of a class."""
    return [
        name
        for name, member in vars(kind).items()
        if getattr(member, "__annotations__", {}).get("return") == "Self"
    ]


@pytest.mark.parametrize(
    "kind", [kind for kind in QUEUES if hasattr(kind, "TRUE_OF_OPERATIONS")]
)
@given(data=st.data())
def test_what_is_promised_of_operations_is_true(
    kind: type[Any], data: st.DataObject
) -> None:
    """It is so of each operation of the class, and of several at the end."""
    queue = a_queue(data, kind, at_least=0)
    items = {"append": tuple((item,) for item in QUEUES[kind])}
    single: list[tuple[Call, ...]] = [
        ((name, arguments),)
        for name in operations_of(kind)
        for arguments in items.get(name, CALLS.get(name, ((),)))
    ]
    at_end: list[tuple[Call, ...]] = [
        calls * 3 for calls in single if calls[0][0] == "append"
    ]
    assert len(at_end) > 1
    for asked in kind.TRUE_OF_OPERATIONS:
        for calls in (*single, *at_end):
            question: Call = (WITH_PARTS, (asked, Derived(calls)))
            assert OperationLaws.of(queue).is_true(question)
            try:
                later = apply_calls(queue, calls)
            except IndexError:
                continue
            assert getattr(queue, asked)(later) is True
            assert evaluate_call(queue, question) is True


class QueueWithValues(Queue[int]):
    """A queue that tells more, and changes nothing of what is promised."""

    def last(self) -> int:
        """The youngest item."""
        return self.items[-1]


class QueueWithAppend(Queue[int]):
    """A queue that names its own operation as well."""

    AT_END = frozenset({"append", "append_twice"})

    def append_twice(self, item: int) -> Self:
        """Put an item behind all others, and once more."""
        return self.append(item).append(item)


class QueueWithHook(Queue[int]):
    """A queue that looks at what it is made of."""

    def __attrs_post_init__(self) -> None:
        if len(self.items) > 3:
            raise ValueError("too long")


class Repeated:
    """A class beside a queue, with an operation of its own."""

    def pop(self) -> Self:
        """Keep the oldest item."""
        return self


class QueueWithRepeats(Repeated, Queue[int]):
    """A queue that has one operation from elsewhere."""


class QueueNeverEmpty(Queue[int]):
    """A queue that is never called empty."""

    def is_empty(self) -> bool:
        """Tell that it is not."""
        return False


@pytest.mark.parametrize("kind", [Queue, ClosableQueue, QueueWithValues])
def test_a_derived_class_keeps_what_is_promised(kind: type[Queue[int]]) -> None:
    """As long as it changes nothing of it."""
    assert OperationLaws.of(kind()) == OperationLaws.of(Queue())
    assert OperationLaws.of(kind()).are_known


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (LossyQueue, Queue.AT_HEAD),
        (QueueWithRepeats, frozenset()),
        (QueueNeverEmpty, frozenset()),
        (QueueWithHook, frozenset()),
        (ShortQueue, frozenset()),
    ],
)
def test_a_derived_class_promises_nothing_of_what_it_changes(
    kind: type[Queue[int]], names: frozenset[str]
) -> None:
    """What was promised of the methods of one class says nothing of others."""
    laws = OperationLaws.of(kind())
    assert laws.at_head == names
    assert laws.are_known is (kind is QueueWithRepeats)


def test_a_derived_class_may_promise_more() -> None:
    """What it names itself is taken at its word."""
    laws = OperationLaws.of(QueueWithAppend())
    assert laws.at_end == {"append", "append_twice"}
    assert laws.at_head == Queue.AT_HEAD


def test_nothing_is_promised_of_two_operations_at_the_head() -> None:
    """After the first of them there may be no head, and two have left."""
    laws = OperationLaws.of(Channel())
    twice: tuple[Call, ...] = (("pop", ()), ("pop", ()))
    assert laws.law_of(twice[:1]) == AT_HEAD
    assert laws.law_of(twice) == NO_LAW
    assert not laws.is_true((WITH_PARTS, ("keeps_order_in", Derived(twice))))
    made_anew: Call = (WITH_PARTS, ("", Derived((("requests", ()),))))
    assert not laws.is_true((WITH_PARTS, ("keeps_order_in", Derived((made_anew,)))))
    assert not laws.is_true((WITH_PARTS, ("keeps_order_in", Channel())))


channels = st.builds(
    lambda data, length: data[:length], st.permutations(REQUESTS * 2), st.integers(0, 5)
).map(lambda requests: Channel(tuple(requests)))


@given(old=channels, requests=channels, kept=st.integers(0, 3), cut=st.booleans())
def test_the_order_of_requests_is_that_of_their_tuples(
    old: Channel, requests: Channel, kept: int, cut: bool
) -> None:
    """All but the first stay in line in front of what is new, or none does."""
    begin = old.requests[kept > 0 :] if cut else old.requests[:kept]
    new = (*begin, *requests.requests)
    before = old.requests
    is_in_order = (
        not before
        or new[: len(before)] == before
        or new[: len(before) - 1] == before[1:]
        or not new
    )
    assert old.keeps_order_in(Channel(new)) is is_in_order
