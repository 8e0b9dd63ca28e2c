"""The model ``kraft``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.kraft.required_bounds import NEEDS
from replicheck.invariants.kraft.run_claims import RUN_CLAIMS
from replicheck.invariants.kraft.safety import SAFETY
from replicheck.invariants.kraft.steps import STEPS
from replicheck.invariants.kraft.witnesses import WITNESSES
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.broker import isr, replication
from replicheck.model.kraft.mutations import MUTATIONS
from replicheck.model.kraft.protocols import ENVIRONMENT, PROTOCOLS, kraft_model
from replicheck.model.kraft.releases import (
    BEGINS_EPOCH_WITH_MIN_ISR,
    RELEASES,
    REPAIRED,
)
from replicheck.model.kraft.state import KraftCluster, everyone_in_sync
from replicheck.model.modelling.model import Model

MODEL = Model("kraft", KraftBounds)
MODEL.build_by(kraft_model, KraftCluster)
MODEL.begin_in({"everyone-in-sync": everyone_in_sync})
MODEL.add_protocols(*PROTOCOLS, BEGINS_EPOCH_WITH_MIN_ISR, REPAIRED, *RELEASES)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_faults(*ENVIRONMENT)
MODEL.add_unfair(replication.append, isr.shrink_isr)
MODEL.claim(
    SAFETY,
    STEPS,
    WITNESSES,
    needs=NEEDS,
)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.kraft.describer:DESCRIBER")
