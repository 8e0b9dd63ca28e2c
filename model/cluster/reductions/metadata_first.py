"""Steps that can go before all others: no property tells the difference.

See ``docs/decisions/0007-step-reductions.md`` for the argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps

from attrs import evolve

from replicheck.model.cluster.broker.requests import (
    handle_update_metadata,
    is_due,
    is_stale,
)
from replicheck.model.cluster.cells.channels import UpdateMetadataRequest
from replicheck.model.cluster.controller.controller_election import elect, resign
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Action, Protocol
from replicheck.model.rules import name_of
from replicheck.model.step_reduction import StepReduction
from replicheck.model.vocabulary import BrokerId

Channel = tuple[BrokerId, BrokerId]
"""A controller, and the broker to which its requests go."""
DISTURBING = (
    "crashes",
    "controller_moves",
    "session_expiries",
    "shutdowns",
    "duplicates",
    "late_shutdowns",
    "topic_recreations",
)
"""The faults that end a controller's term, or have a request handled twice.

A directory that fails ends it with the last good one; `remains_controller` counts them.
"""

IN_LINE = ("handle_leader_and_isr", "handle_stop_replica")
"""The actions that wait behind UpdateMetadata in the same channel.

Another action in their place might not wait. Brokers with fetcher threads have their
own, by the same names.
"""


def remains_controller(cluster: Cluster, controller: BrokerId) -> bool:
    """Tell whether nothing that can still happen ends the controller's term."""
    if not cluster.controller_nodes.is_held_by(controller):
        return False
    if not cluster.contexts[controller].is_active():
        return False
    if not cluster.processes[controller].is_running:
        return False
    if cluster.processes[controller].is_shutting_down:
        return False
    if any(may_still_happen(cluster, fault) for fault in DISTURBING):
        return False
    good = [
        directory
        for directory in cluster.bounds.directory_ids
        if cluster.directories[controller][directory].is_good()
    ]
    return len(good) > cluster.faults.directory_failures


def may_still_happen(cluster: Cluster, fault: str) -> bool:
    """Tell whether a fault is left; what the bounds rule out is not read."""
    if not getattr(cluster.bounds, fault):
        return False
    return cluster.faults.allow(fault)


def is_alone(cluster: Cluster, controller: BrokerId) -> bool:
    """Tell whether no request of another controller and no duplicate is on its way.

    A deposed controller that does not know it yet still has requests on their way.
    """
    for broker in cluster.bounds.broker_ids:
        if broker != controller and cluster.contexts[broker].is_active():
            return False
        if (
            cluster.bounds.duplicates
            and not cluster.duplicate_requests[broker].is_empty()
        ):
            return False
    return True


def first_in_line(cluster: Cluster) -> Channel | None:
    """The channel whose UpdateMetadata is obeyed before all else, if there is one."""
    for controller in cluster.bounds.broker_ids:
        for broker in cluster.bounds.broker_ids:
            if not is_due(cluster, controller, broker, UpdateMetadataRequest):
                continue
            if remains_controller(cluster, controller) and is_alone(
                cluster, controller
            ):
                return controller, broker
    return None


def after_metadata(action: Action) -> Action:
    """An action that waits until no UpdateMetadata goes first.

    It asks last, since most actions are disabled anyway.
    """

    @wraps(action)
    def run(cluster: Cluster, *values: object, **named: object) -> Iterator[Cluster]:
        for after in action(cluster, *values, **named):
            if first_in_line(cluster) is not None:
                return
            yield after

    return run


@wraps(handle_update_metadata)
def handle_first_metadata(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker obeys UpdateMetadata, if none at another broker goes before it."""
    for after in handle_update_metadata(cluster, controller, broker):
        if first_in_line(cluster) in (None, (controller, broker)):
            yield after


def metadata_first(protocol: Protocol) -> Protocol:
    """The protocol in which UpdateMetadata goes first where nothing can tell.

    Raises:
        ValueError: if it obeys requests, or ends a controller's term, in its own way.
    """
    replaced = [name for name, _ in protocol.replacements]
    taken = {action.__name__ for action in protocol.actions}
    for name in IN_LINE:
        if name not in taken:
            raise ValueError(f"{protocol.name} has its own way to {name}")
    for action in (handle_update_metadata, elect):
        if action not in protocol.actions:
            raise ValueError(f"{protocol.name} has its own way to {action.__name__}")
    for rule in (is_stale, resign):
        if name_of(rule) in replaced:
            raise ValueError(f"{protocol.name} has its own rule {rule.__name__}")
    return evolve(
        protocol,
        actions=tuple(
            handle_first_metadata
            if action is handle_update_metadata
            else after_metadata(action)
            for action in protocol.actions
        ),
    )


UPDATE_METADATA_FIRST = StepReduction(
    "prioritize-update-metadata",
    "UpdateMetadata that is next in line at a running broker is obeyed before any other"
    " step, once nothing that can still happen ends its controller's term.",
    "It changes the broker's metadata cache alone, which the broker reads for later"
    " requests of the same channel only; what is said of metadata is said of rest.",
    metadata_first,
)
