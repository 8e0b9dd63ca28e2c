"""What each step of the composed model shows to a reader of logs and of ZooKeeper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.invariants.cluster.observed import observed_steps
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.cells.fetch_state import FetchingState

TRUNCATIONS = ("truncate_to_epoch_end_offsets", "truncate_to_high_watermark")


class ObservedComposedSteps(observed_steps.ObservedSteps):
    """Events of a step, as of the cluster; fetcher threads say when they truncated."""

    def __init__(self, controllers: Mapping[int, int]) -> None:
        super().__init__(controllers)
        del self.readings["truncate"]
        self.readings.update(dict.fromkeys(TRUNCATIONS, _truncations))


def _truncations(
    arguments: tuple[Any, ...], old: Composed, new: Composed
) -> Iterator[observed_steps.Event]:
    """Partitions that a thread has truncated, as the step ends their truncation."""
    follower, leader, fetcher = arguments
    states = (old.fetch_states, new.fetch_states)
    was, now = (family[follower][leader][fetcher] for family in states)
    for partition in old.bounds.partition_ids:
        if was[partition].state is not FetchingState.TRUNCATING:
            continue
        if now[partition].state is not FetchingState.TRUNCATING:
            yield observed_steps.truncated(new, follower, partition)
