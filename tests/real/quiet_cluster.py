"""Until a cluster is at rest: what is watched has not changed for long enough."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from real_cluster import RealCluster

from replicheck.cli.observations.extraction.extraction import extract

REST = 10
"""Seconds without an observation after which nothing is to come.

The longest that a broker waits before it does something by itself is 7.5 seconds: every
2.5 seconds a leader tells the controller of ISRs that have not changed for 5. A session
ends after 4 seconds, or 2 longer than asked for, and a follower is taken out of the ISR
after 1.5 seconds and at most 0.75 more.
"""
MOST_WAITED = 60
"""Seconds after which a cluster is taken for one that does not come to rest."""


def wait_for_rest(cluster: RealCluster, extractor: str) -> None:
    """Wait until nothing was observed for long enough, and have the cluster say so."""
    end = time.monotonic() + MOST_WAITED
    while not cluster.is_at_rest and time.monotonic() < end:
        left = REST - _seconds_without_observation(cluster, extractor)
        cluster.is_at_rest = left <= 0
        time.sleep(max(0, left))


def _seconds_without_observation(cluster: RealCluster, extractor: str) -> float:
    now = datetime.now(UTC).timestamp()
    seen = extract(cluster.folder, extractor).observations
    return now - max(observation.end for observation in seen) / 1000
