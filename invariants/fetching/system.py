"""The model ``fetching``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.fetching.required_bounds import NEEDS
from replicheck.invariants.fetching.run_claims import RUN_CLAIMS
from replicheck.invariants.fetching.safety import SAFETY
from replicheck.invariants.fetching.steps import STEPS
from replicheck.invariants.fetching.witnesses import WITNESSES
from replicheck.model.fetching import client_reads
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.broker import (
    caught_up_followers,
    fetch_requests,
    leader,
    processes,
    refused_requests,
    replica_removal,
    stalled_updates,
)
from replicheck.model.fetching.fetchers import thread_pool
from replicheck.model.fetching.initial_states import with_leader, without_leader
from replicheck.model.fetching.mutations.mutated_protocols import MUTATIONS
from replicheck.model.fetching.protocols import ENVIRONMENT, fetching_model
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.versions import history, repaired
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
MODEL.add_unfair(
    leader.append_records_to_leader,
    leader.maybe_shrink_isr,
    leader.delete_records,
    client_reads.consume,
    caught_up_followers.catch_up,
    caught_up_followers.fall_behind,
    stalled_updates.stall_after_read,
    fetch_requests.respond_immediately,
    processes.checkpoint_high_watermarks,
    thread_pool.resize_thread_pool,
    replica_removal.stop_replica,
    replica_removal.stop_and_delete_replica,
    refused_requests.refuse_leader_and_isr,
    refused_requests.ignore_unknown_leader,
    refused_requests.abort_request,
    repaired.skip_request,
    history.resize_at_once,
)
MODEL.claim(SAFETY, STEPS, WITNESSES, needs=NEEDS)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.fetching.describer:DESCRIBER")
