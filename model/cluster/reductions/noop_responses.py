"""Steps of the cluster that can be taken together: no property tells the difference.

See ``docs/decisions/0007-step-reductions.md`` for the argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.requests import receive_response
from replicheck.model.cluster.controller.events import (
    handle_leader_and_isr_response,
    learn_from,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import name_of
from replicheck.model.step_reduction import StepReduction
from replicheck.model.vocabulary import BrokerId


def receive_news(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """As ``receive_response``, but an answer that is no information makes no event.

    Rules: N-1, C-LIR-1.  Source: RequestSendThread.doWork.
    """
    if not cluster.channels[controller][broker].is_answered_without_news():
        yield from receive_response(cluster, controller, broker)
        return
    channel = cluster.channels[controller][broker].pop()
    yield cluster.evolve(channels={(controller, broker): channel})


def without_news(protocol: Protocol) -> Protocol:
    """The protocol in which an answer that is no information makes no event.

    Raises:
        ValueError: if it does something else with these events.
    """
    replaced = [name for name, _ in protocol.replacements]
    if handle_leader_and_isr_response not in protocol.actions:
        raise ValueError(f"{protocol.name} handles answers in its own way")
    if name_of(learn_from) in replaced:
        raise ValueError(f"{protocol.name} learns from answers in its own way")
    return protocol.replacing(receive_response, by=receive_news)


RESPONSES_WITHOUT_NEWS = StepReduction(
    "skip-noop-responses",
    "The controller receives an answer to LeaderAndIsr that is no information, and is"
    " done with it: no event goes through its queue.",
    "The event would change nothing but the queue it waits in, which its controller's"
    " thread alone reads.",
    without_news,
)
