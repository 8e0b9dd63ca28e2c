"""What each step of the cluster shows to a reader of logs and of ZooKeeper.

Streams: ``zookeeper`` (transactions in their order), ``requests C>B`` and ``responses
C<B`` of a controller and a broker, ``controller B`` (events that a controller handles),
``log_dir_handler B``, ``shutdown B``, ``log B-P`` (a replica's log), ``produce B-P``
(what producers are answered), ``high_watermark B-P``, and ``operator`` (what was done
to the cluster).
docs/validation.md has the keys of each label.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from replicheck.invariants.cluster.observed.observed_leadership import (
    high_watermarks,
    leaders,
)
from replicheck.invariants.cluster.observed.observed_processes import PROCESS_READINGS
from replicheck.invariants.cluster.observed.observed_producers import (
    ANSWERS_PRODUCERS,
    producers_answered,
)
from replicheck.invariants.cluster.observed.observed_requests import (
    request_label,
    response,
)
from replicheck.invariants.cluster.observed.observed_znodes import znode_writes
from replicheck.model.cluster.state import Cluster

Event = tuple[str, dict[str, Any]]
Arguments = tuple[Any, ...]
Reading = Callable[[Arguments, Any, Any], Iterator[Event]]


class ObservedSteps:
    """Events of a step: a stream and a label each; `...` is what the model leaves open.

    ``controllers`` are the brokers that were controllers, by controller epoch: a late
    copy of a request names no more than the epoch of its sender. Of leader epochs and
    high watermarks nothing is read if they are ``unobserved``.
    """

    def __init__(
        self, controllers: Mapping[int, int], unobserved: Collection[str] = ()
    ) -> None:
        self.controllers = controllers
        self.shows_leaders = "lead" not in unobserved
        self.shows_high_watermarks = "high_watermark" not in unobserved
        self.readings: dict[str, Reading] = {
            **PROCESS_READINGS,
            "handle_leader_and_isr": self._leader_and_isr,
            "handle_update_metadata": _request,
            "handle_stop_replica": _request,
            "handle_duplicate_request": self._duplicate_request,
            "receive_response": response,
            "truncate": _truncation,
        }

    def __call__(
        self, action: str, arguments: Arguments, old: Cluster, new: Cluster
    ) -> list[Event]:
        """Events of one step, in the order in which it shows them."""
        writes = znode_writes(action, old, new)
        reading = self.readings.get(action, _nothing)
        return [
            *([("zookeeper", {"writes": writes})] if writes else []),
            *reading(arguments, old, new),
            *_appends(old, new),
            *(producers_answered(old, new) if action in ANSWERS_PRODUCERS else ()),
            *(high_watermarks(old, new) if self.shows_high_watermarks else ()),
        ]

    def _leader_and_isr(
        self, arguments: Arguments, old: Cluster, new: Cluster
    ) -> Iterator[Event]:
        yield from _request(arguments, old, new)
        if self.shows_leaders:
            controller, broker = arguments
            request = old.channels[controller][broker].head
            yield from leaders(broker, request, old, new)

    def owed(self, cluster: Cluster) -> list[Event]:
        """Events of the copies of requests: what is never handled need not be there.

        A copy has no effect until it is handled. Those of a broker are handled in their
        order, so behind one that is not handled is none that is.
        """
        return [
            self._copy(broker, request)
            for broker in cluster.bounds.broker_ids
            for request in cluster.duplicate_requests[broker].requests
        ]

    def _duplicate_request(
        self, arguments: Arguments, old: Cluster, new: Cluster
    ) -> Iterator[Event]:
        (broker,) = arguments
        request = old.duplicate_requests[broker].head
        yield self._copy(broker, request)
        if self.shows_leaders:
            yield from leaders(broker, request, old, new)

    def _copy(self, broker: int, request: Any) -> Event:
        controller = self.controllers.get(request.controller_epoch, "unknown")
        return f"requests {controller}>{broker}", request_label(request, {})


def truncated(cluster: Cluster, broker: int, partition: int) -> Event:
    """Event of a replica's log that was truncated, also where that has no effect."""
    end = log_end(cluster, broker, partition)
    return f"log {broker}-{partition}", {"event": "truncate", "end": end}


def log_end(cluster: Cluster, broker: int, partition: int) -> int:
    """End offset of a replica's log, in whichever directory it is."""
    return max(len(log.records) for log in cluster.logs[broker][partition])


def _request(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    controller, broker = arguments
    answers = new.channels[controller][broker].answers or ()
    request = old.channels[controller][broker].head
    errors = {int(partition): answer.name for partition, answer in answers}
    yield f"requests {controller}>{broker}", request_label(request, errors)


def _truncation(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    _leader, broker, partition = arguments
    yield truncated(new, broker, partition)


def _appends(old: Cluster, new: Cluster) -> Iterator[Event]:
    for broker in old.bounds.broker_ids:
        for partition in old.bounds.partition_ids:
            if old.logs[broker][partition] is not new.logs[broker][partition]:
                begin = log_end(old, broker, partition)
                for end in range(begin + 1, log_end(new, broker, partition) + 1):
                    label = {"event": "append", "end": end}
                    yield f"log {broker}-{partition}", label


def _nothing(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    return iter(())
