"""What is true of every state of the cluster, subject by subject."""

from __future__ import annotations

from replicheck.invariants.cluster import (
    deciding,
    durability,
    forgetting,
    leadership,
    liveness,
    log_dirs,
    reassignment,
)

SAFETY = (
    *leadership.SAFETY,
    *durability.SAFETY,
    *log_dirs.SAFETY,
    *forgetting.SAFETY,
    *liveness.SAFETY,
    *reassignment.SAFETY,
    *deciding.SAFETY,
)
