"""Which systems can be validated, and what their steps show in logs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from attrs import frozen

from replicheck.cli.tasks.called_actions import called_as
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.queued_events import (
    Queued,
    QueuedEvents,
)
from replicheck.explorer.engines.trace_validation.state_table import nothing_queued
from replicheck.explorer.engines.trace_validation.step_events import (
    Owed,
    Projection,
)
from replicheck.explorer.instances import Instance
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.cluster.observed import (
    at_rest,
    hidden_actions,
    observed_queues,
)
from replicheck.invariants.cluster.observed import observed_steps as of_cluster
from replicheck.invariants.composed import observed_steps as of_composed
from replicheck.model.protocol import Protocol

STEPS: Mapping[str, Callable[..., of_cluster.ObservedSteps]] = {
    "cluster": of_cluster.ObservedSteps,
    "composed": of_composed.ObservedComposedSteps,
}
"""For each system by name, what makes the events of its steps."""
LACKS: Mapping[str, tuple[str, ...]] = {
    "cluster": ("epochs", "alter_partition"),
    "composed": ("alter_partition",),
}
"""For each system the kinds of streams for which it has no cell."""


@frozen
class ObservedSystem:
    """A system that logs are laid beside, and what is known of its hidden steps.

    ``own`` are the names of the actions that it takes by itself, before it is at rest.
    """

    system: System
    projection: Projection
    owed: Owed
    queued: Queued
    hidden: HiddenSteps
    own: frozenset[str]

    @classmethod
    def of(
        cls,
        system: System,
        protocol: Protocol,
        controllers: Mapping[int, int],
        unobserved: Collection[str],
    ) -> ObservedSystem:
        """Observed system; ``controllers`` are those of `ObservedSteps`.

        What a mutation puts in the place of an action shows what that would. Events of
        kinds that are ``unobserved`` are left out of the projection.
        """
        steps = STEPS[system.name](controllers, unobserved)
        called = called_as(protocol)

        def projection(action: Instance, old: Any, new: Any) -> list[of_cluster.Event]:
            return [
                (stream, label)
                for stream, label in steps(called[action.name], action.values, old, new)
                if not _is_unobserved(stream, label, unobserved)
            ]

        def owed(state: Any) -> list[of_cluster.Event]:
            return [
                (stream, label)
                for stream, label in steps.owed(state)
                if not _is_unobserved(stream, label, unobserved)
            ]

        copies = () if "requests" in unobserved else hidden_actions.COPIES
        environment = (action.__name__ for action in system.environment)
        hidden = HiddenSteps(
            unlikely=frozenset((*environment, *hidden_actions.LAST)),
            late=frozenset(hidden_actions.LATE),
            at_once=frozenset(hidden_actions.AT_ONCE),
            own=frozenset(hidden_actions.OF_A_CONTROLLER),
            copies=frozenset(copies),
            of_messages=frozenset(hidden_actions.OF_MESSAGES),
            clears=observed_queues.may_clear,
        )
        has_queues = called.keys() >= observed_queues.TAKEN_BY
        queued = _queued_events if has_queues else nothing_queued
        own = frozenset(name for name in called if _is_own(system, called[name]))
        return cls(system, projection, owed, queued, hidden, own)


def _is_own(system: System, action: str) -> bool:
    left = (other.__name__ for other in system.environment + system.unfair)
    return action in at_rest.AWAITED or action not in left


def _queued_events(state: Any) -> list[QueuedEvents]:
    return [
        QueuedEvents(queue.stream, queue.labels, queue.term, queue.elsewhere)
        for queue in observed_queues.queued_events(state)
    ]


def _is_unobserved(
    stream: str, label: Mapping[str, Any], unobserved: Collection[str]
) -> bool:
    kind = stream.partition(" ")[0]
    return kind in unobserved or (kind == "log" and label["event"] in unobserved)
