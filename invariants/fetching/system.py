"""The model ``fetching``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.fetching.required_bounds import NEEDS
from replicheck.invariants.fetching.safety import SAFETY
from replicheck.invariants.fetching.steps import STEPS
from replicheck.invariants.fetching.witnesses import WITNESSES
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.initial_states import with_leader, without_leader
from replicheck.model.fetching.mutations.mutated_protocols import MUTATIONS
from replicheck.model.fetching.protocols import ENVIRONMENT, fetching_model
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.versions.history import PROTOCOLS
from replicheck.model.fetching.versions.repaired import KAFKA_20961, REPAIRED
from replicheck.model.modelling.model import Model

MODEL = Model("fetching", FetchingBounds)
MODEL.build_by(fetching_model, Brokers)
MODEL.begin_in(
    {
        "without-leader": without_leader,
        "with-leader": with_leader,
    }
)
MODEL.add_protocols(*PROTOCOLS, KAFKA_20961, REPAIRED)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_faults(*ENVIRONMENT)
MODEL.claim(SAFETY, STEPS, WITNESSES, needs=NEEDS)
MODEL.describe_by("replicheck.invariants.fetching.describer:DESCRIBER")
