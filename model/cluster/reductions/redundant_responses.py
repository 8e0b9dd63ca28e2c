"""Answers that say what the controller knows already: no property tells the difference.

See ``docs/decisions/0007-step-reductions.md`` for the argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.requests import receive_response
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.controller.events import (
    handle_leader_and_isr_response,
    learn_from,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.step_reduction import StepReduction
from replicheck.model.vocabulary import BrokerId, PartitionId


def receive_unknown(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The answer to a request arrives; one that says what is known makes no event.

    As ``receive_response`` but for that.

    Rules: N-1, C-LIR-1.  Source: RequestSendThread.doWork.
    """
    if not repeats_known_answer(cluster, controller, broker):
        yield from receive_response(cluster, controller, broker)
        return
    channel = cluster.channels[controller][broker].pop()
    yield cluster.evolve(channels={(controller, broker): channel})


def repeats_known_answer(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> bool:
    """Tell whether an answer to LeaderAndIsr is there that will change nothing."""
    channel = cluster.channels[controller][broker]
    if channel.answers is None or channel.is_deleting():
        return False
    return all(
        is_known(cluster, controller, broker, partition, answer)
        for partition, answer in channel.answers
    )


def is_known(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    partition: PartitionId,
    answer: Answer,
) -> bool:
    """Tell whether what a broker answers for a partition is going to be known.

    NONE is, if the controller does not take the replica for offline, and no answer that
    waits in its queue makes it do so before. Other answers are no information, but for
    KAFKA_STORAGE_ERROR.
    """
    if answer is Answer.STORAGE_ERROR:
        return False
    if answer is not Answer.NONE:
        return True
    if cluster.contexts[controller].holds_offline(broker, partition):
        return False
    queue = cluster.event_queues[controller]
    return not queue.tells_of_storage_error(broker, partition)


def without_known(protocol: Protocol) -> Protocol:
    """The protocol in which an answer that says what is known makes no event.

    Raises:
        ValueError: if it does something else with these events.
    """
    if handle_leader_and_isr_response not in protocol.actions:
        raise ValueError(f"{protocol.name} handles answers in its own way")
    if protocol.replaces(learn_from):
        raise ValueError(f"{protocol.name} learns from answers in its own way")
    return protocol.replacing(receive_response, by=receive_unknown)


ANSWERS_AS_KNOWN = StepReduction(
    "skip-redundant-responses",
    "The controller receives an answer to LeaderAndIsr that says no more than what it"
    " knows, and is done with it: no event goes through its queue.",
    "The event would change nothing but the queue it waits in: only an answer of the"
    " same broker says that a replica is offline, and none that does is before it.",
    without_known,
    spared=(handle_leader_and_isr_response.__name__,),
)
