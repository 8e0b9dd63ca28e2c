"""The steps of the fetching brokers, with the abstract states before and after."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from attrs import frozen

from abstract_image import Past, beginning, image
from replicheck.explorer.instances import Instance, instances
from replicheck.model.fetching.protocols import KAFKA_2_5, FetchingModel
from replicheck.model.fetching.state import Cluster as Brokers
from replicheck.model.protocol import Protocol
from replicheck.model.replication.state import Cluster
from replicheck.model.vocabulary import BrokerId


@frozen
class Edge:
    """A step of the brokers, and the abstract states before and after."""

    action: str
    label: str
    before: Cluster
    after: Cluster
    hides_only_cuts: bool

    def is_visible(self) -> bool:
        """Tell whether the abstract state changes."""
        return self.before != self.after


def edges(start: Brokers, protocol: Protocol = KAFKA_2_5) -> Iterator[Edge]:
    """Yield every step from a state on, once for each past."""
    model = FetchingModel(protocol, start.bounds, start)
    actions = instances(model.actions, model.domains)
    (state,) = model.initial_states()
    first = (state, beginning(state))
    seen: set[tuple[Brokers, Past]] = {first}
    todo = deque([first])
    while todo:
        brokers, past = todo.popleft()
        before = image(brokers, past)
        for action in actions:
            for after in action(brokers):
                follows = (after, past.after(after))
                yield edge(action, before, *follows)
                if follows not in seen:
                    seen.add(follows)
                    todo.append(follows)


def edge(action: Instance, before: Cluster, brokers: Brokers, past: Past) -> Edge:
    """Return a step by the abstract state before, and the brokers after it."""
    hides = hides_only_cuts(brokers, past)
    return Edge(action.name, action.label, before, image(brokers, past), hides)


def hides_only_cuts(brokers: Brokers, past: Past) -> bool:
    """Tell whether logs that count as before have only been cut since."""
    pairs = zip(past.logs, brokers.logs, strict=True)
    return all(log.starts_with(own.records) for log, (own,) in pairs)


def walk(start: Brokers, labels: Sequence[str]) -> Iterator[Edge]:
    """Yield the steps with these labels."""
    model = FetchingModel(KAFKA_2_5, start.bounds, start)
    actions = {each.label: each for each in instances(model.actions, model.domains)}
    (brokers,) = model.initial_states()
    past = beginning(brokers)
    for label in labels:
        (after,) = actions[label](brokers)
        before, past = image(brokers, past), past.after(after)
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
