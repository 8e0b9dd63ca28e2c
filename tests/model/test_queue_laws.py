"""Queues keep what they promise of their ends: partial-order reduction rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.random_processes import Line
from replicheck.explorer.proxies.calls import apply_calls, evaluate_call
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
}


@pytest.mark.parametrize("kind", QUEUES)
@given(data=st.data())
def test_what_is_done_at_the_end_is_not_seen_at_the_head(
    kind: type[Any], data: st.DataObject
) -> None:
    """So a queue that is not empty may grow before or after its head is taken."""
    items = st.sampled_from(QUEUES[kind])
    queue: Any = kind()
    for item in data.draw(st.lists(items, min_size=1, max_size=3)):
        queue = queue.append(item)
    if kind is Channel and data.draw(st.booleans()):
        queue = queue.reply(data.draw(st.sampled_from(ANSWERS)))
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
