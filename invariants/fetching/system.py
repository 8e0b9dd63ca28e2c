"""The system ``fetching``: its model, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.catalogue.systems import System, describer_in
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

SYSTEM = System(
    name="fetching",
    state=Brokers,
    bounds=FetchingBounds,
    protocols=(*PROTOCOLS, KAFKA_20961, REPAIRED),
    describe=describer_in("fetching"),
    build=fetching_model,
    mutations=MUTATIONS,
    invariants=SAFETY,
    steps=STEPS,
    witnesses=WITNESSES,
    initials={
        "without-leader": without_leader,
        "with-leader": with_leader,
    },
    environment=ENVIRONMENT,
    needs=NEEDS,
)
