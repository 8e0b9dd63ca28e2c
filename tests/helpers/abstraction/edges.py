"""The steps of the fetching brokers, with the abstract states before and after."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen

from abstraction.image import PARTITION, Past, beginning, bounds_of, image
from replicheck.explorer.instances import Instance, instances
from replicheck.model.composed.bounds import ComposedBounds as BoundsOfWhole
from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.protocols import KAFKA_2_5 as WHOLE
from replicheck.model.composed.protocols import composed_model
from replicheck.model.fetching.protocols import KAFKA_2_5, fetching_model
from replicheck.model.fetching.state import Brokers as Brokers
from replicheck.model.protocol import Protocol
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId


@frozen
class Edge:
    """A step of the brokers, and the abstract states before and after."""

    action: str
    label: str
    before: AbstractCluster
    after: AbstractCluster
    hides_only_cuts: bool

    def is_visible(self) -> bool:
        """Tell whether the abstract state changes."""
        return self.before != self.after


@frozen
class Concrete:
    """A model, its states as those of brokers, and the abstract bounds."""

    model: Any
    see: Callable[[Any], Brokers]
    bounds: ReplicationBounds


def fetching(start: Brokers, protocol: Protocol = KAFKA_2_5) -> Concrete:
    """The fetching brokers from a state on."""
    model = fetching_model(protocol, start.bounds, start)
    return Concrete(model, lambda brokers: brokers, bounds_of(start))


def whole(
    bounds: BoundsOfWhole, max_leader_epoch: int, protocol: Protocol = WHOLE
) -> Concrete:
    """The cluster with fetcher threads, and so many abstract leader epochs."""
    records = max(1, bounds.records)
    abstract = ReplicationBounds(bounds.brokers, records, records, max_leader_epoch)
    return Concrete(composed_model(protocol, bounds), seen_by_fetchers, abstract)


def edges(concrete: Concrete) -> Iterator[Edge]:
    """Yield every step of a model, once for each past."""
    model, see, bounds = concrete.model, concrete.see, concrete.bounds
    actions = instances(model.actions, model.domains)
    (state,) = model.initial_states()
    first = (state, beginning(see(state)))
    seen: set[tuple[Any, Past]] = {first}
    todo = deque([first])
    while todo:
        state, past = todo.popleft()
        before = image(see(state), past, bounds)
        for action in actions:
            for after in action(state):
                next_past = past.after(see(after))
                yield edge(action, before, see(after), next_past)
                if (after, next_past) not in seen:
                    seen.add((after, next_past))
                    todo.append((after, next_past))


def edge(
    action: Instance, before: AbstractCluster, brokers: Brokers, past: Past
) -> Edge:
    """A step by the abstract state before, and the brokers after it."""
    hides = hides_only_cuts(brokers, past)
    after = image(brokers, past, before.bounds)
    return Edge(action.name, action.label, before, after, hides)


def hides_only_cuts(brokers: Brokers, past: Past) -> bool:
    """Tell whether logs that count as before have only been cut since."""
    return all(
        log.starts_with(brokers.logs[broker][PARTITION].records)
        for broker, log in zip(brokers.bounds.broker_ids, past.logs, strict=True)
    )


def walk(start: Brokers, labels: Sequence[str]) -> Iterator[Edge]:
    """Yield the steps with these labels."""
    model = fetching_model(KAFKA_2_5, start.bounds, start)
    actions = {
        instance.label: instance for instance in instances(model.actions, model.domains)
    }
    (brokers,) = model.initial_states()
    past, bounds = beginning(brokers), bounds_of(start)
    for label in labels:
        (after,) = actions[label](brokers)
        before, past = image(brokers, past, bounds), past.after(after)
        yield edge(actions[label], before, after, past)
        brokers = after


def is_of_a_late_answer(edge: Edge) -> bool:
    """Tell whether a follower used what its leader answered in an earlier epoch.

    What it got is in its leader's log still, and committed there as far as it says.
    """
    if edge.action != "process_fetch_request":
        return False
    return any(
        is_late(edge, leader, follower)
        for leader in edge.before.bounds.broker_ids
        for follower in edge.before.bounds.broker_ids
        if follower != leader
    )


def is_late(edge: Edge, leader: BrokerId, follower: BrokerId) -> bool:
    """Tell whether an answer of this leader, in a newer epoch by now, was used."""
    before, after = edge.before, edge.after
    if not before.presumes_leadership(leader):
        return False
    if not before.is_following(leader, follower):
        return False
    if before.is_following_epoch(leader, follower):
        return False
    log, replica = after.logs[follower], after.replicas[follower]
    old = before.logs[follower]
    copied = before.logs[leader].records[old.end_offset : old.end_offset + 1]
    if log.records not in (old.records, old.records + copied):
        return False
    if replica.high_watermark > before.replicas[leader].high_watermark:
        return False
    told = before.replicas[follower].with_high_watermark(replica.high_watermark)
    return after == before.evolve(logs={follower: log}, replicas={follower: told})
