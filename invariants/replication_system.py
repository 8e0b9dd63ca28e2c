"""The system ``replication``: its model, and the sentences that go with it."""

from __future__ import annotations

from replicheck.invariants import replication
from replicheck.invariants.systems import System
from replicheck.model.replication.bounds import Bounds
from replicheck.model.replication.mutations import MUTATIONS
from replicheck.model.replication.protocols import PROTOCOLS, Replication

SYSTEM = System(
    name="replication",
    bounds=Bounds,
    protocols=PROTOCOLS,
    build=Replication,
    mutations=MUTATIONS,
    invariants=replication.SAFETY,
    steps=replication.STEPS,
    witnesses=replication.WITNESSES,
)
