"""What producers that wait for all in sync are answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicheck.model.cluster.state import Cluster

ANSWERS_PRODUCERS = frozenset(
    {
        "complete_produce",
        "handle_leader_and_isr",
        "handle_stop_replica",
        "handle_duplicate_request",
    }
)
"""Actions in which a producer is answered; the end of a process answers none."""


def producers_answered(
    old: Cluster, new: Cluster
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Events of producers that waited: the offset of the record, and how it ended."""
    for broker in old.bounds.broker_ids:
        for partition in old.bounds.partition_ids:
            waited = old.produces[broker][partition].offsets
            left = len(new.produces[broker][partition].offsets)
            known = new.acknowledged[partition] != old.acknowledged[partition]
            event = "acknowledge" if known else "refuse"
            for offset in waited[: len(waited) - left]:
                label = {"event": event, "offset": offset}
                yield f"produce {broker}-{partition}", label
