"""The system ``cluster``: its model, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.catalogue.systems import System, describer_in
from replicheck.invariants.cluster.required_bounds import NEEDS
from replicheck.invariants.cluster.safety import SAFETY
from replicheck.invariants.cluster.steps import STEPS
from replicheck.invariants.cluster.witnesses import WITNESSES
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.mutations.kip_112_variants import VARIANTS
from replicheck.model.cluster.mutations.mutated_protocols import MUTATIONS
from replicheck.model.cluster.protocols import ENVIRONMENT, PROTOCOLS, cluster_model
from replicheck.model.cluster.reductions.metadata_first import UPDATE_METADATA_FIRST
from replicheck.model.cluster.reductions.noop_responses import (
    RESPONSES_WITHOUT_NEWS,
)
from replicheck.model.cluster.reductions.redundant_responses import ANSWERS_AS_KNOWN
from replicheck.model.cluster.state import Cluster, with_topic, without_topic
from replicheck.model.cluster.versions.leftover_batches import LEFTOVER_BATCHES
from replicheck.model.cluster.versions.old_controller import OLD_CONTROLLER
from replicheck.model.cluster.versions.repaired import REPAIRED
from replicheck.model.cluster.versions.repaired_findings import (
    REPAIRED_FINDINGS,
    REPAIRED_LEADERS,
)
from replicheck.model.cluster.versions.single_steps import SINGLE_STEPS

SYSTEM = System(
    name="cluster",
    state=Cluster,
    bounds=Bounds,
    protocols=(
        *PROTOCOLS,
        SINGLE_STEPS,
        LEFTOVER_BATCHES,
        OLD_CONTROLLER,
        REPAIRED,
        REPAIRED_LEADERS,
        REPAIRED_FINDINGS,
    ),
    describe=describer_in("cluster"),
    build=cluster_model,
    mutations=MUTATIONS + VARIANTS,
    reductions=(RESPONSES_WITHOUT_NEWS, ANSWERS_AS_KNOWN, UPDATE_METADATA_FIRST),
    invariants=SAFETY,
    steps=STEPS,
    witnesses=WITNESSES,
    initials={
        "without-topic": without_topic,
        "with-topic": with_topic,
    },
    environment=ENVIRONMENT,
    needs=NEEDS,
)
