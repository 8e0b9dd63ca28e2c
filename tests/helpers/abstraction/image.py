"""From a state of the fetching brokers to one of the abstract partition.

What an abstract replica is follows from the brokers' state and from what was before, so
a run carries a `Past` along. docs/abstraction.md says it in words.
"""

from __future__ import annotations

from attrs import evolve, frozen

from replicheck.model.fetching.state import Brokers as Brokers
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.state import (
    AbstractCluster,
    AbstractReplica,
    QuorumState,
    Requests,
)
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId

PARTITION = PartitionId(0)


@frozen
class Past:
    """All requests that were ever sent, and the abstract logs and replicas so far."""

    sent: Requests
    logs: tuple[Log, ...]
    replicas: tuple[AbstractReplica, ...]

    def after(self, brokers: Brokers) -> Past:
        """The past of the next state.

        A broker counts with what it has once it leads, or fetches, in an epoch; before,
        it is taken for where it was.
        """
        past = evolve(self, sent=sent_until(self.sent, brokers))
        pairs = [past._replica(brokers, broker) for broker in brokers.bounds.broker_ids]
        logs, replicas = zip(*pairs, strict=True)
        return evolve(past, logs=logs, replicas=replicas)

    def _replica(
        self, brokers: Brokers, broker: BrokerId
    ) -> tuple[Log, AbstractReplica]:
        log = Log(tuple(filter(None, brokers.logs[broker][PARTITION].records)))
        replica = brokers.replicas[broker][PARTITION]
        offset = replica.high_watermark
        if brokers.presumes_leadership(broker, PARTITION):
            return log, AbstractReplica(offset, replica.epoch, broker, replica.isr)
        if replica.is_online():
            for leader, epoch in fetched_by(brokers, broker):
                is_led = brokers.leads_in(leader, PARTITION, epoch)
                if is_led or self.replicas[broker].is_in(leader, epoch):
                    isr = self.sent.isr_in(epoch)
                    return log, AbstractReplica(offset, epoch, leader, isr)
        return self.logs[broker], self.replicas[broker]


def fetched_by(brokers: Brokers, broker: BrokerId) -> list[tuple[BrokerId, Epoch]]:
    """Leader and epoch of which a broker fetches records, its log being cut."""
    states = [
        (thread.leader, brokers.fetch_state(thread, PARTITION))
        for thread in brokers.threads_of(broker)
    ]
    return [
        (leader, state.epoch)
        for leader, state in states
        if state.is_fetching() and state.epoch is not None
    ]


def stored_in(brokers: Brokers) -> QuorumState:
    """Leader, epoch and ISR as the abstract store has them."""
    content = brokers.partition_nodes[PARTITION].content
    assert content is not None, "every partition was initialised"
    epoch = None if content.epoch < 0 else content.epoch
    return QuorumState(content.leader, epoch, content.isr)


def sent_until(sent: Requests, brokers: Brokers) -> Requests:
    """Add the request with the stored epoch, if that is new; its ISR may change yet."""
    stored = stored_in(brokers)
    if stored.leader is None or stored.epoch is None:
        return sent
    return sent if sent.has(stored.leader, stored.epoch) else sent.send(stored)


def beginning(brokers: Brokers) -> Past:
    """The past of a state in which a run begins."""
    ids = brokers.bounds.broker_ids
    logs, replicas = tuple(Log() for _ in ids), tuple(AbstractReplica() for _ in ids)
    return Past(Requests(), logs, replicas).after(brokers)


def image(brokers: Brokers, past: Past, bounds: ReplicationBounds) -> AbstractCluster:
    """The abstract state, within its bounds, of brokers with a past."""
    stored = stored_in(brokers)
    return AbstractCluster(
        bounds=bounds,
        logs=past.logs,
        replicas=past.replicas,
        partition_state=stored,
        requests=past.sent,
        next_leader_epoch=Epoch(0 if stored.epoch is None else stored.epoch + 1),
        next_record=brokers.next_records[PARTITION],
    )


def bounds_of(brokers: Brokers) -> ReplicationBounds:
    """The bounds of the abstract partition that belong to those of brokers."""
    given = brokers.bounds
    return ReplicationBounds(
        given.brokers, given.records, given.records, given.max_leader_epoch
    )
