"""The system ``replication``: its model, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.catalogue.systems import System, describer_in
from replicheck.invariants.replication import properties
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.mutations import MUTATIONS
from replicheck.model.replication.protocols import PROTOCOLS, replication_model
from replicheck.model.replication.state import AbstractCluster

SYSTEM = System(
    name="replication",
    state=AbstractCluster,
    bounds=ReplicationBounds,
    protocols=PROTOCOLS,
    describe=describer_in("replication"),
    build=replication_model,
    mutations=MUTATIONS,
    invariants=properties.SAFETY,
    steps=properties.STEPS,
    witnesses=properties.WITNESSES,
)
