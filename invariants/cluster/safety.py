"""What is true of every state of the cluster, subject by subject."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects import (
    controller_decisions,
    deletion,
    durability,
    leadership,
    liveness,
    log_dirs,
    missed_failures,
    reassignment,
)

SAFETY = (
    *leadership.SAFETY,
    *durability.SAFETY,
    *log_dirs.SAFETY,
    *missed_failures.SAFETY,
    *liveness.SAFETY,
    *reassignment.SAFETY,
    *controller_decisions.SAFETY,
    *deletion.SAFETY,
)
