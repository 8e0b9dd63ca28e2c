"""The model ``alter-isr``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.alter_isr.properties import SAFETY, STEPS, WITNESSES
from replicheck.invariants.alter_isr.run_claims import RUN_CLAIMS
from replicheck.model.alter_isr import leader
from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.alter_isr.mutations import MUTATIONS
from replicheck.model.alter_isr.protocols import ENVIRONMENT, PROTOCOLS, alter_isr_model
from replicheck.model.alter_isr.state import Exchange, in_sync
from replicheck.model.modelling.model import Model

MODEL = Model("alter-isr", AlterIsrBounds)
MODEL.build_by(alter_isr_model, Exchange)
MODEL.begin_in({"in-sync": in_sync})
MODEL.add_protocols(*PROTOCOLS)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_faults(*ENVIRONMENT)
MODEL.add_unfair(leader.append, leader.catch_up)
MODEL.claim(SAFETY, STEPS, WITNESSES)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.alter_isr.describer:DESCRIBER")
