"""The model ``composed``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.cluster.required_bounds import NEEDS
from replicheck.invariants.composed import inherited, steps
from replicheck.invariants.composed.inherited import SAFETY, STEPS, WITNESSES
from replicheck.invariants.composed.run_claims import RUN_CLAIMS, UNFAIR
from replicheck.model.cluster.reductions.redundant_responses import ANSWERS_AS_KNOWN
from replicheck.model.composed.bounds import ComposedBounds
from replicheck.model.composed.mutations import MUTATIONS
from replicheck.model.composed.protocols import ENVIRONMENT, composed_model
from replicheck.model.composed.state import Composed, with_topic, without_topic
from replicheck.model.composed.versions import PROTOCOLS
from replicheck.model.modelling.model import Model

MODEL = Model("composed", ComposedBounds)
MODEL.build_by(composed_model, Composed)
MODEL.begin_in({"without-topic": without_topic, "with-topic": with_topic})
MODEL.add_protocols(*PROTOCOLS)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_reductions(ANSWERS_AS_KNOWN)
MODEL.add_faults(*ENVIRONMENT)
MODEL.add_unfair(*UNFAIR)
MODEL.claim(
    SAFETY,
    STEPS,
    WITNESSES,
    needs={
        **NEEDS,
        steps.leader_without_session_writes_no_isr: ("session_expiries",),
        steps.locked_partition_answers_no_fetch: ("lost_replies",),
        steps.only_complete_copy_replaces_log: ("moves",),
        inherited.OUT_OF_RANGE: ("deletions", "moves"),
        inherited.LOG_START: ("deletions",),
        **dict.fromkeys(inherited.OF_MOVES, ("moves",)),
    },
)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.composed.describer:DESCRIBER")
