"""What fair runs of the whole cluster do in the end: those of both models."""

from __future__ import annotations

from replicheck.invariants.cluster import run_claims as of_cluster
from replicheck.invariants.composed.inherited import of_states
from replicheck.invariants.fetching import run_claims as of_fetchers
from replicheck.model.composed.protocols import KAFKA_2_5
from replicheck.model.modelling.run_claims import RunClaim

UNFAIR_NAMES = frozenset(
    {
        "append_records_to_leader",
        "break_log",
        "catch_up",
        "corrupt_batch",
        "delete_records",
        "fail_call",
        "fall_behind",
        "lose_call",
        "lose_handler",
        "lose_reply_to_election",
        "lose_reply_to_expansion",
        "lose_reply_to_initialization",
        "lose_reply_to_isr_removal",
        "lose_reply_to_notification",
        "lose_reply_to_shrink",
        "send_again",
        "shrink_isr",
        "stall_after_read",
    }
)
"""Actions that are of the environment, or unfair, in the model they come from."""
UNFAIR = tuple(
    action for action in KAFKA_2_5.actions if action.__name__ in UNFAIR_NAMES
)
RUN_CLAIMS = (
    *of_cluster.RUN_CLAIMS,
    *(RunClaim(of_states(claim.condition)) for claim in of_fetchers.RUN_CLAIMS),
)
