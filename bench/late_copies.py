"""Copies of requests that are made late: the same is shown, by fewer orders of steps.

A request is there twice because a connection broke. That step shows nothing, and puts a
copy at the end of a broker's queue. It can change places with the step after it, unless
that step handles the copy, handles the request itself, drops the request, or adds
another copy behind; where the broker's process ends, the copy can be left out. Of the
runs that show the same in the same order, one has each copy made as late as that:

- in one step with the handling of the copy, if no other copy is before it,
- in one step with that of the request, or with a step that drops requests: some copies
  for the brokers that these were for, in any order, and then the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import wraps
from typing import Any, cast

from observed_runs import InPlace
from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.engines.trace_validation.step_events import Projection
from replicheck.explorer.instances import Instance
from replicheck.invariants.cluster.observed.hidden_actions import AT_ONCE
from replicheck.model.cluster.broker.duplicate_requests import (
    handle_duplicate_request,
    send_again,
)
from replicheck.model.cluster.broker.leader_and_isr import handle_leader_and_isr
from replicheck.model.cluster.broker.requests import (
    handle_stop_replica,
    handle_update_metadata,
)
from replicheck.model.cluster.cells.channels import (
    LeaderAndIsrRequest,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Action, Protocol
from replicheck.model.vocabulary import BrokerId

HANDLE_REQUESTS = frozenset(
    {"handle_leader_and_isr", "handle_stop_replica", "handle_update_metadata"}
)
"""Actions that handle a controller's request at a broker."""
DROP_REQUESTS = frozenset({"elect", "handle_broker_change", "on_broker_failure"})
"""Actions that may drop requests of a controller that remains one."""


def with_late_copies(protocol: Protocol) -> Protocol:
    """The protocol with copies that are made late, its actions named as before.

    What shows its steps has to be asked through `shown_with_late_copies`.

    Raises:
        ValueError: if it makes or handles copies in its own way.
    """
    names = {action.__name__ for action in protocol.actions}
    for action in (send_again, handle_duplicate_request):
        if action.__name__ not in names:
            raise ValueError(f"{protocol.name} has its own way to {action.__name__}")
    late = protocol
    for action in protocol.actions:
        if action.__name__ == send_again.__name__:
            late = late.replacing(action, by=_handle_copy)
        elif action.__name__ in HANDLE_REQUESTS:
            late = late.replacing(action, by=_after_copies_of_one(action))
        elif _is_of_a_broker(action) and action.__name__ not in AT_ONCE:
            late = late.replacing(action, by=_after_copies_of_dropped(action))
    return late


def shown_with_late_copies(projection: Projection) -> Projection:
    """What the steps of such a protocol show."""

    def shown(action: Instance, old: Any, new: Any) -> Sequence[Event]:
        if action.name != send_again.__name__:
            return projection(action, old, new)
        controller, broker = _ids(action)
        (before,) = send_again(old, controller, broker)
        handled = Instance(handle_duplicate_request, (("broker", broker),))
        return projection(handled, before, new)

    return shown


HANDLERS = {
    LeaderAndIsrRequest: handle_leader_and_isr,
    StopReplicaRequest: handle_stop_replica,
    UpdateMetadataRequest: handle_update_metadata,
}


def shown_by_request(projection: Projection) -> InPlace:
    """What is shown if the request is handled where a copy of it can be.

    That leads to the same, but for the request, and if the request is not handled later
    it may as well be. Nothing is known of it where the broker can answer in two ways.
    """

    def shown(action: Instance, old: Any) -> Sequence[Event]:
        if action.name != send_again.__name__:
            return ()
        controller, broker = _ids(action)
        handle = HANDLERS[type(old.channels[controller][broker].head)]
        handled = Instance(handle, action.arguments)
        answers = [
            projection(handled, old, new) for new in handle(old, controller, broker)
        ]
        return answers[0] if answers and answers == answers[:1] * len(answers) else ()

    return shown


def _ids(action: Instance) -> tuple[BrokerId, BrokerId]:
    """Controller and broker that an action names."""
    controller, broker = action.values
    return cast(BrokerId, controller), cast(BrokerId, broker)


@wraps(send_again)
def _handle_copy(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A copy is made and handled, before the request itself."""
    if not cluster.duplicate_requests[broker].is_empty():
        return
    for before in send_again(cluster, controller, broker):
        yield from handle_duplicate_request(before, broker)


def _is_of_a_broker(action: Action) -> bool:
    return [*action.__annotations__.values()][1:2] in (["BrokerId"], [BrokerId])


def _after_copies_of_one(action: Action) -> Action:
    """An action that handles a request, of which copies may be made before."""

    @wraps(action)
    def run(
        cluster: Cluster, controller: BrokerId, broker: BrokerId
    ) -> Iterator[Cluster]:
        is_due = False
        for after in action(cluster, controller, broker):
            is_due = True
            yield after
        if is_due:
            for before in _with_copies(cluster, [broker]):
                yield from action(before, controller, broker)

    return run


def _after_copies_of_dropped(action: Action) -> Action:
    """An action that may drop requests, of which copies may be made before."""
    drops_requests = action.__name__ in DROP_REQUESTS

    @wraps(action)
    def run(cluster: Cluster, controller: BrokerId, *others: Any) -> Iterator[Cluster]:
        dropped: set[BrokerId] = set()
        for after in action(cluster, controller, *others):
            if drops_requests or _resigns(cluster, after, controller):
                dropped.update(_dropped(cluster, after, controller))
            yield after
        if dropped:
            for before in _with_copies(cluster, sorted(dropped)):
                yield from action(before, controller, *others)

    return run


def _resigns(before: Cluster, after: Cluster, controller: BrokerId) -> bool:
    if after.contexts[controller].is_active():
        return False
    return before.contexts[controller].is_active()


def _dropped(
    before: Cluster, after: Cluster, controller: BrokerId
) -> Iterator[BrokerId]:
    """Yield the brokers of which a request that is not answered is dropped."""
    if not before.faults.allow("duplicates"):
        return
    for broker in before.bounds.broker_ids:
        old = before.channels[controller][broker]
        if old.awaits(object) and not after.channels[controller][broker].awaits(object):
            yield broker


def _with_copies(cluster: Cluster, brokers: Sequence[BrokerId]) -> Iterator[Cluster]:
    """Yield the states after one copy or more for some brokers, in each order."""
    for place, broker in enumerate(brokers):
        for controller in cluster.bounds.broker_ids:
            for after in send_again(cluster, controller, broker):
                yield after
                yield from _with_copies(after, brokers[place:])
