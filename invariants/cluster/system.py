"""The model ``cluster``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.cluster.required_bounds import NEEDS
from replicheck.invariants.cluster.run_claims import RUN_CLAIMS
from replicheck.invariants.cluster.safety import SAFETY
from replicheck.invariants.cluster.service import SERVICE
from replicheck.invariants.cluster.steps import STEPS
from replicheck.invariants.cluster.witnesses import WITNESSES
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.broker import duplicate_requests, log_dirs, replication
from replicheck.model.cluster.broker.isr import caught_up_followers, isr_shrinking
from replicheck.model.cluster.environment import lost_replies
from replicheck.model.cluster.mutations.kip_112_variants import VARIANTS
from replicheck.model.cluster.mutations.mutated_protocols import MUTATIONS
from replicheck.model.cluster.protocols import ENVIRONMENT, PROTOCOLS, cluster_model
from replicheck.model.cluster.reductions.merged_responses import ANSWERS_AT_ONCE
from replicheck.model.cluster.reductions.redundant_responses import ANSWERS_AS_KNOWN
from replicheck.model.cluster.state import Cluster, with_topic, without_topic
from replicheck.model.cluster.versions.leftover_batches import LEFTOVER_BATCHES
from replicheck.model.cluster.versions.local_truncation import LOCAL_TRUNCATION
from replicheck.model.cluster.versions.old_controller import OLD_CONTROLLER
from replicheck.model.cluster.versions.repaired import REPAIRED
from replicheck.model.cluster.versions.repaired_findings import (
    REPAIRED_FINDINGS,
    REPAIRED_LEADERS,
)
from replicheck.model.cluster.versions.single_steps import SINGLE_STEPS
from replicheck.model.modelling.model import Model

MODEL = Model("cluster", Bounds)
MODEL.build_by(cluster_model, Cluster)
MODEL.begin_in(
    {
        "without-topic": without_topic,
        "with-topic": with_topic,
    }
)
MODEL.add_protocols(
    *PROTOCOLS,
    SINGLE_STEPS,
    LEFTOVER_BATCHES,
    LOCAL_TRUNCATION,
    OLD_CONTROLLER,
    REPAIRED,
    REPAIRED_LEADERS,
    REPAIRED_FINDINGS,
)
MODEL.add_mutations(*MUTATIONS, *VARIANTS)
MODEL.add_reductions(ANSWERS_AS_KNOWN, ANSWERS_AT_ONCE)
MODEL.add_faults(*ENVIRONMENT)
MODEL.add_unfair(
    replication.append,
    isr_shrinking.shrink_isr,
    caught_up_followers.catch_up,
    caught_up_followers.fall_behind,
    duplicate_requests.send_again,
    log_dirs.lose_handler,
    lost_replies.lose_reply_to_initialization,
    lost_replies.lose_reply_to_election,
    lost_replies.lose_reply_to_isr_removal,
    lost_replies.lose_reply_to_notification,
    lost_replies.lose_reply_to_expansion,
    lost_replies.lose_reply_to_shrink,
)
MODEL.claim(SAFETY, STEPS, WITNESSES + SERVICE, needs=NEEDS)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.cluster.describer:DESCRIBER")
