"""The system ``alter-isr``: its model, and the sentences that go with it."""

from __future__ import annotations

from replicheck.invariants.alter_isr.describer import DESCRIBER
from replicheck.invariants.alter_isr.properties import SAFETY, STEPS, WITNESSES
from replicheck.invariants.catalogue.systems import System
from replicheck.model.alter_isr.bounds import Bounds
from replicheck.model.alter_isr.mutations import MUTATIONS
from replicheck.model.alter_isr.protocols import ENVIRONMENT, PROTOCOLS, AlterIsrModel
from replicheck.model.alter_isr.state import Exchange, in_sync

SYSTEM = System(
    name="alter-isr",
    state=Exchange,
    bounds=Bounds,
    protocols=PROTOCOLS,
    describer=DESCRIBER,
    build=AlterIsrModel,
    mutations=MUTATIONS,
    invariants=SAFETY,
    steps=STEPS,
    witnesses=WITNESSES,
    initials={"in-sync": in_sync},
    environment=ENVIRONMENT,
)
