"""The leader's side: what it proposes, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.alter_isr.state import (
    LEADER,
    Announcement,
    Controller,
    Exchange,
    Follower,
    IsrState,
    Proposal,
    Refusal,
    StoredIsr,
)
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def append(exchange: Exchange) -> Iterator[Exchange]:
    """A record is appended, which no follower has yet.

    Source: Partition.appendRecordsToLeader.
    """
    if exchange.partition.end >= exchange.bounds.records:
        return
    followers = [broker for broker in exchange.bounds.broker_ids if broker != LEADER]
    exchange = exchange.evolve(
        partition=exchange.partition.append(),
        replicas={follower: Follower(is_complete=False) for follower in followers},
    )
    yield exchange.evolve(partition=increment_high_watermark(exchange))


def catch_up(exchange: Exchange, follower: BrokerId) -> Iterator[Exchange]:
    """A follower has all records, and the high watermark may go up.

    Source: Partition.updateFollowerFetchState.
    """
    if not exchange.replicas[follower].lacks_records():
        return
    exchange = exchange.evolve(replicas={follower: Follower()})
    yield exchange.evolve(partition=increment_high_watermark(exchange))


@rule
def increment_high_watermark(exchange: Exchange) -> IsrState:
    """Commit every record, if all have it that are in the ISR or about to be.

    Source: Partition.maybeIncrementLeaderHW.
    """
    partition = exchange.partition
    if partition.maximal_isr & exchange.behind():
        return partition
    return partition.raise_high_watermark()


def expand_isr(exchange: Exchange, follower: BrokerId) -> Iterator[Exchange]:
    """The leader proposes an ISR with a follower that has caught up.

    Source: Partition.maybeExpandIsr.
    """
    if exchange.replicas[follower].lacks_records():
        return
    if exchange.partition.counts_in_sync(follower):
        return
    isr = exchange.partition.committed.isr | {follower}
    yield from submit(exchange, isr)


def shrink_isr(exchange: Exchange, follower: BrokerId) -> Iterator[Exchange]:
    """The leader proposes an ISR without a follower that lags.

    Source: Partition.maybeShrinkIsr.
    """
    if not exchange.replicas[follower].lacks_records():
        return
    if not exchange.partition.counts_in_sync(follower):
        return
    isr = exchange.partition.committed.isr - {follower}
    yield from submit(exchange, isr)


def submit(exchange: Exchange, isr: frozenset[BrokerId]) -> Iterator[Exchange]:
    """Have a change in flight, unless one is, or the last is not answered yet.

    Source: Partition.sendAlterIsrRequest, DefaultAlterIsrManager.submit.
    """
    if exchange.partition.has_in_flight() or exchange.manager.has_waiting():
        return
    known = exchange.partition.committed
    proposal = Proposal(isr, known.epoch, known.version)
    yield exchange.evolve(
        partition=exchange.partition.propose(isr),
        manager=exchange.manager.enqueue(proposal),
    )


def send_alter_isr(exchange: Exchange) -> Iterator[Exchange]:
    """What waits goes out, one request at a time.

    Source: DefaultAlterIsrManager.maybePropagateIsrChanges.
    """
    if exchange.manager.has_sent() or not exchange.manager.has_waiting():
        return
    yield exchange.evolve(manager=exchange.manager.send())


def handle_alter_isr_response(exchange: Exchange) -> Iterator[Exchange]:
    """The leader learns what became of its proposal; the entry is free before that.

    Who is no controller any more is asked no more: the request goes to the other.

    Source: DefaultAlterIsrManager.handleAlterIsrResponse.
    """
    if not exchange.manager.is_answered():
        return
    answer = exchange.manager.answer
    if answer is Refusal.NOT_CONTROLLER:
        yield ask_again(exchange)
        return
    yield complete(exchange)


@rule
def ask_again(exchange: Exchange) -> Exchange:
    """Find the controller that there is, for which the entry stays.

    Source: BrokerToControllerChannelManager.
    """
    return exchange.evolve(
        controller=Controller(exchange.stored.content),
        manager=exchange.manager.finish(),
    )


@rule
def complete(exchange: Exchange) -> Exchange:
    """Free the entry, and take over the answer if it is to what is in flight.

    An error is final: a newer epoch is on its way then.

    Source: Partition.handleAlterIsrResponse.
    """
    sent, answer = exchange.manager.sent, exchange.manager.answer
    manager = exchange.manager.finish().forget_waiting()
    exchange = exchange.evolve(manager=manager)
    if not answers_proposal_in_flight(exchange.partition, sent):
        return exchange
    if not isinstance(answer, StoredIsr):
        return exchange
    if not is_current(exchange, answer):
        return exchange
    return committed(exchange, answer)


def answers_proposal_in_flight(partition: IsrState, sent: Proposal | None) -> bool:
    """Tell whether a proposal is the one that the partition waits for.

    Source: Partition.handleAlterIsrResponse.
    """
    if sent is None or not partition.has_in_flight():
        return False
    is_same = partition.proposed == sent.isr
    return is_same and partition.committed.epoch == sent.epoch


@rule
def is_current(exchange: Exchange, answer: StoredIsr) -> bool:
    """Tell whether an answer is not older than what the leader knows.

    Source: Partition.handleAlterIsrResponse.
    """
    known = exchange.partition.committed
    return answer.epoch == known.epoch and answer.version >= known.version


@rule
def committed(exchange: Exchange, answer: StoredIsr) -> Exchange:
    """Know the ISR that is stored, and commit what that allows.

    Source: Partition.handleAlterIsrResponse, Partition.maybeIncrementLeaderHW.
    """
    exchange = exchange.evolve(partition=exchange.partition.commit(answer))
    return exchange.evolve(partition=increment_high_watermark(exchange))


def become_leader(exchange: Exchange) -> Iterator[Exchange]:
    """The leader obeys a LeaderAndIsr request; what was in flight is in flight no more.

    The manager's entry stays until it is answered.

    Source: Partition.makeLeader.
    """
    if not exchange.announced.is_there():
        return
    yield take_leadership(exchange)


@rule
def take_leadership(exchange: Exchange) -> Exchange:
    """Take over the ISR and the epoch of a request."""
    announced = exchange.announced.content
    assert announced is not None, "there is a request"
    partition = exchange.partition.commit(announced)
    exchange = exchange.evolve(partition=partition, announced=Announcement())
    return exchange.evolve(partition=increment_high_watermark(exchange))
