"""The models that a scenario can name, and the sentences that go with each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen

from replicheck.invariants import replication
from replicheck.invariants.cluster import safety, steps, witnesses
from replicheck.invariants.fetching import safety as fetching_safety
from replicheck.invariants.fetching import steps as fetching_steps
from replicheck.invariants.fetching import witnesses as fetching_witnesses
from replicheck.model.cluster import bounds as cluster_bounds
from replicheck.model.cluster import mutations as cluster_mutations
from replicheck.model.cluster import protocols as cluster_protocols
from replicheck.model.cluster import state as cluster_state
from replicheck.model.fetching import bounds as fetching_bounds
from replicheck.model.fetching import protocols as fetching_protocols
from replicheck.model.fetching import state as fetching_state
from replicheck.model.protocol import Protocol
from replicheck.model.replication import mutations as replication_mutations
from replicheck.model.replication.bounds import Bounds
from replicheck.model.replication.protocols import PROTOCOLS, Replication

Predicate = Callable[..., bool]

SOME_ACTION_IS_ENABLED = "some_action_is_enabled"
"""The invariant of every model that no reachable state is a deadlock."""


@frozen
class System:
    """A model with all that can be chosen of it.

    ``bounds`` is an attrs class of integers with validators; ``build`` makes the model
    from a protocol and bounds. ``initials`` are the states, by name, in which a
    scenario can begin; the model then has a field ``start`` that takes one of them.
    ``mutations`` are protocols with a rule broken on purpose.
    """

    name: str
    bounds: type
    protocols: tuple[Protocol, ...]
    build: Callable[[Protocol, Any], Any]
    mutations: tuple[Protocol, ...] = ()
    invariants: tuple[Predicate, ...] = ()
    steps: tuple[Predicate, ...] = ()
    witnesses: tuple[Predicate, ...] = ()
    initials: Mapping[str, Callable[[Any], Any]] = field(factory=dict)

    @property
    def protocols_by_name(self) -> dict[str, Protocol]:
        """Return the protocols by the name under which a scenario chooses one.

        Mutations are among them.
        """
        return {each.name: each for each in (*self.protocols, *self.mutations)}

    @property
    def predicates(self) -> dict[str, Predicate]:
        """Return every predicate by its name."""
        everything = self.invariants + self.steps + self.witnesses
        return {each.__name__: each for each in everything}


REPLICATION = System(
    name="replication",
    bounds=Bounds,
    protocols=PROTOCOLS,
    build=Replication,
    mutations=replication_mutations.MUTATIONS,
    invariants=replication.SAFETY,
    steps=replication.STEPS,
    witnesses=replication.WITNESSES,
)

CLUSTER = System(
    name="cluster",
    bounds=cluster_bounds.Bounds,
    protocols=cluster_protocols.PROTOCOLS,
    build=cluster_protocols.ClusterModel,
    mutations=cluster_mutations.MUTATIONS,
    invariants=safety.SAFETY,
    steps=steps.STEPS,
    witnesses=witnesses.WITNESSES,
    initials={
        "without-topic": cluster_state.without_topic,
        "with-topic": cluster_state.with_topic,
    },
)

FETCHING = System(
    name="fetching",
    bounds=fetching_bounds.Bounds,
    protocols=fetching_protocols.PROTOCOLS,
    build=fetching_protocols.FetchingModel,
    invariants=fetching_safety.SAFETY,
    steps=fetching_steps.STEPS,
    witnesses=fetching_witnesses.WITNESSES,
    initials={
        "without-leader": fetching_state.without_leader,
        "with-leader": fetching_state.with_leader,
    },
)

SYSTEMS: Mapping[str, System] = {
    each.name: each for each in (REPLICATION, CLUSTER, FETCHING)
}


def sentence(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0]
