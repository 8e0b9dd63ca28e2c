"""Watches that reach a controller late: the same is shown, by fewer orders of steps.

The delivery of a fired watch shows nothing, and puts an event at the end of a queue. So
it can change places with the step after it, unless that step takes the event from the
queue, puts another one behind it, drops watches that have fired, or fires the watch,
which was set anew, once more. Of the runs that show the same in the same order, one has
each delivery as late as that. There a watch is delivered

- where the queue is empty and its thread idle, so that the event can be taken next,
- where the watch was set anew,
- in one step with an action that puts an event into the queue or drops watches: some
  of those that have fired, in any order, and then the action.

What asks a queue for its head alone cannot tell whether an event is behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps
from itertools import permutations
from typing import Any

from replicheck.invariants.cluster.observed.hidden_actions import AT_ONCE
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import deliver_state_watch, deliver_watch
from replicheck.model.protocol import Action, Protocol
from replicheck.model.vocabulary import BrokerId

Delivery = Callable[[Cluster], Iterator[Cluster]]
ENQUEUES = frozenset(
    {
        "cancel_reassignment",
        "drop_request",
        "finish_reassignment",
        "receive_late_shutdown_request",
        "receive_response",
        "receive_unknown",
        "request_preferred_election",
        "request_unclean_election",
        "shut_down",
    }
)
"""Actions that put an event into the queue of the controller that they name first,
where it may have watches that have fired."""


def with_late_watches(protocol: Protocol) -> Protocol:
    """The protocol with watches that are delivered late, its actions named as before.

    Raises:
        ValueError: if it delivers watches in its own way.
    """
    for action in (deliver_watch, deliver_state_watch):
        if action not in protocol.actions:
            raise ValueError(f"{protocol.name} has its own way to {action.__name__}")
    late = protocol
    for action in protocol.actions:
        if action is deliver_watch:
            late = late.replacing(action, by=_deliver_watch_late)
        elif action is deliver_state_watch:
            late = late.replacing(action, by=_deliver_state_watch_late)
        elif action.__name__ in AT_ONCE:
            continue
        elif [*action.__annotations__.values()][1:2] in (["BrokerId"], [BrokerId]):
            late = late.replacing(action, by=_after_deliveries(action))
    return late


@wraps(deliver_watch)
def _deliver_watch_late(
    cluster: Cluster, controller: BrokerId, path: Any
) -> Iterator[Cluster]:
    """A fired watch reaches a broker that can go on with it, or that set it again."""
    watches = cluster.watches[controller]
    if not watches.has_fired(path):
        return
    if path in watches.armed or _can_take(cluster, controller):
        yield from deliver_watch(cluster, controller, path)


@wraps(deliver_state_watch)
def _deliver_state_watch_late(
    cluster: Cluster, controller: BrokerId, partition: Any
) -> Iterator[Cluster]:
    """The same of the watch of a partition's state."""
    watches = cluster.watches[controller]
    if not watches.has_fired_state(partition):
        return
    if partition in watches.armed_states or _can_take(cluster, controller):
        yield from deliver_state_watch(cluster, controller, partition)


def _can_take(cluster: Cluster, controller: BrokerId) -> bool:
    """Tell whether an event can be taken next if it comes now."""
    if not cluster.event_queues[controller].is_empty():
        return False
    return cluster.threads[controller].is_idle()


def _after_deliveries(action: Action) -> Action:
    """An action that can be one step with deliveries of watches before it."""
    enqueues = action.__name__ in ENQUEUES

    @wraps(action)
    def run(cluster: Cluster, controller: BrokerId, *others: Any) -> Iterator[Cluster]:
        counts = False
        for after in action(cluster, controller, *others):
            yield after
            counts = counts or enqueues or _drops_watches(cluster, after, controller)
        if not counts or cluster.watches[controller].none_has_fired():
            return
        for several in _orders(cluster, controller):
            before = cluster
            for delivery in several:
                (before,) = delivery(before)
            yield from action(before, controller, *others)

    return run


def _drops_watches(before: Cluster, after: Cluster, controller: BrokerId) -> bool:
    """Tell whether a step drops a watch that has fired."""
    if before.watches[controller].none_has_fired():
        return False
    old, new = before.watches[controller], after.watches[controller]
    return not (old.fired <= new.fired and old.fired_states <= new.fired_states)


def _orders(cluster: Cluster, controller: BrokerId) -> Iterator[tuple[Delivery, ...]]:
    """Yield the deliveries of some watches that have fired, in each order."""
    watches = cluster.watches[controller]
    deliveries: list[Delivery] = [
        partial(deliver_watch, controller=controller, path=path)
        for path in sorted(watches.fired, key=str)
    ]
    deliveries += [
        partial(deliver_state_watch, controller=controller, partition=partition)
        for partition in sorted(watches.fired_states)
    ]
    for count in range(1, 1 + len(deliveries)):
        yield from permutations(deliveries, count)
