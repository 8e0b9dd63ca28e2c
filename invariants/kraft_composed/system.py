"""The model ``kraft-composed``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.kraft import steps as of_kraft
from replicheck.invariants.kraft_composed import safety, steps
from replicheck.invariants.kraft_composed.safety import SAFETY
from replicheck.invariants.kraft_composed.steps import STEPS
from replicheck.invariants.kraft_composed.witnesses import WITNESSES
from replicheck.model.kraft.broker import isr, replication
from replicheck.model.kraft_composed.bounds import KraftComposedBounds
from replicheck.model.kraft_composed.mutations import MUTATIONS
from replicheck.model.kraft_composed.protocols import (
    ENVIRONMENT,
    FAULTS_OF_FETCHERS,
    kraft_composed_model,
)
from replicheck.model.kraft_composed.state import KraftComposed, everyone_in_sync
from replicheck.model.kraft_composed.versions import PROTOCOLS
from replicheck.model.modelling.model import Model

MODEL = Model("kraft-composed", KraftComposedBounds)
MODEL.build_by(kraft_composed_model, KraftComposed)
MODEL.begin_in({"everyone-in-sync": everyone_in_sync})
MODEL.add_protocols(*PROTOCOLS)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_faults(*ENVIRONMENT)
MODEL.add_unfair(replication.append, isr.shrink_isr, *FAULTS_OF_FETCHERS)
MODEL.claim(
    SAFETY,
    STEPS,
    WITNESSES,
    needs={
        safety.OFFLINE: ("directory_failures",),
        safety.removed_replica_is_not_fetched: ("reassignments",),
        steps.OUT_OF_RANGE: ("moves",),
        of_kraft.own_assignment_keeps_move: ("moves",),
        steps.replica_outside_isr_stops_fetching: ("shutdowns",),
    },
)
MODEL.describe_by("replicheck.invariants.kraft_composed.describer:DESCRIBER")
