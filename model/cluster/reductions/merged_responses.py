"""Answers that say what the controller knows arrive with the step that gives them.

See ``docs/decisions/0007-step-reductions.md`` for the argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.leader_and_isr import handle_leader_and_isr
from replicheck.model.cluster.broker.requests import (
    handle_stop_replica,
    handle_update_metadata,
    is_stale,
    receive_response,
)
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.controller.events import handle_leader_and_isr_response
from replicheck.model.cluster.reductions.redundant_responses import (
    receive_unknown,
    repeats_known_answer,
    without_known,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.step_reduction import StepReduction
from replicheck.model.vocabulary import BrokerId

IN_LINE = {handle_leader_and_isr, handle_stop_replica, handle_update_metadata}
"""The actions that take what is next in a channel, and nothing behind it."""


def handle_and_receive(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker obeys; an answer that says what is known arrives at once.

    As ``handle_leader_and_isr`` and ``receive_unknown`` in one step.

    Rules: B-CHK-1, B-CHK-2, B-LIR-1, B-LIR-2, N-1.
    Source: ReplicaManager.becomeLeaderOrFollower, RequestSendThread.doWork.
    """
    for after in handle_leader_and_isr(cluster, controller, broker):
        if not arrives_unnoticed(after, controller, broker):
            yield after
            continue
        channel = after.channels[controller][broker].pop()
        yield after.evolve(channels={(controller, broker): channel})


def arrives_unnoticed(cluster: Cluster, controller: BrokerId, broker: BrokerId) -> bool:
    """Tell whether an answer changes nothing, and no property asks whether it is there.

    A witness asks for the answer that the leader epoch is stale.
    """
    if not repeats_known_answer(cluster, controller, broker):
        return False
    answers = cluster.channels[controller][broker].answers or ()
    return all(answer is not Answer.STALE for _, answer in answers)


def with_known_at_once(protocol: Protocol) -> Protocol:
    """The protocol in which answers that say what is known are never on their way.

    Raises:
        ValueError: if it handles requests, their answers, or what is stale in its own
            way.
    """
    if receive_unknown not in protocol.actions:
        protocol = without_known(protocol)
    if not set(protocol.actions) >= IN_LINE:
        raise ValueError(f"{protocol.name} handles requests in its own way")
    if protocol.replaces(is_stale):
        raise ValueError(f"{protocol.name} takes other requests for stale")
    return protocol.replacing(handle_leader_and_isr, by=handle_and_receive)


ANSWERS_AT_ONCE = StepReduction(
    "merge-redundant-responses",
    "An answer to LeaderAndIsr that says no more than what the controller knows arrives"
    " in the step in which the broker gives it.",
    "To receive it changes nothing but the channel. If it gets lost with the broker's"
    " process, the next process refuses the request, as it is for a process before.",
    with_known_at_once,
    spared=(handle_leader_and_isr_response.__name__, receive_response.__name__),
)
