"""The system ``alter-isr``: its model, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.alter_isr.properties import SAFETY, STEPS, WITNESSES
from replicheck.invariants.catalogue.systems import System, describer_in
from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.alter_isr.mutations import MUTATIONS
from replicheck.model.alter_isr.protocols import ENVIRONMENT, PROTOCOLS, alter_isr_model
from replicheck.model.alter_isr.state import Exchange, in_sync

SYSTEM = System(
    name="alter-isr",
    state=Exchange,
    bounds=AlterIsrBounds,
    protocols=PROTOCOLS,
    describe=describer_in("alter_isr"),
    build=alter_isr_model,
    mutations=MUTATIONS,
    invariants=SAFETY,
    steps=STEPS,
    witnesses=WITNESSES,
    initials={"in-sync": in_sync},
    environment=ENVIRONMENT,
)
