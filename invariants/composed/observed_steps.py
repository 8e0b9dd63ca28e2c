"""What each step of the composed model shows to a reader of logs and of ZooKeeper."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from replicheck.invariants.cluster.observed import observed_steps
from replicheck.model.composed.state import Composed, DirectoryLog
from replicheck.model.fetching.cells.fetch_state import FetchingState

TRUNCATIONS = ("truncate_to_epoch_end_offsets", "truncate_to_high_watermark")


class ObservedComposedSteps(observed_steps.ObservedSteps):
    """Events of a step, as of the cluster; fetcher threads say when they truncated.

    The caches of leader epochs have a stream each, ``epochs B-P``.
    """

    def __init__(
        self, controllers: Mapping[int, int], unobserved: Collection[str] = ()
    ) -> None:
        super().__init__(controllers, unobserved)
        self.shows_epochs = "epochs" not in unobserved
        del self.readings["truncate"]
        self.readings.update(dict.fromkeys(TRUNCATIONS, _truncations))

    def __call__(
        self, action: str, arguments: tuple[Any, ...], old: Any, new: Any
    ) -> list[observed_steps.Event]:
        """Events of one step, in the order in which it shows them."""
        events = super().__call__(action, arguments, old, new)
        return [*events, *(_epochs(old, new) if self.shows_epochs else ())]


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


def _epochs(old: Composed, new: Composed) -> Iterator[observed_steps.Event]:
    """Entries that caches of leader epochs got, and what was cut of them.

    An entry in place of one with the same start leaves no line, and neither does
    what a process finds of a cache when it starts.

    Source: LeaderEpochFileCache.truncateAndAppend and truncateFromEnd.
    """
    for broker in old.bounds.broker_ids:
        if not new.processes[broker].is_running:
            continue
        for partition in old.bounds.partition_ids:
            if old.logs[broker][partition] is new.logs[broker][partition]:
                continue
            for directory in old.bounds.directory_ids:
                stored = (
                    family[broker][partition][directory]
                    for family in (old.logs, new.logs)
                )
                was, now = cast(Iterator[DirectoryLog], stored)
                if was is now or was.epochs == now.epochs or not now.exists:
                    continue
                label = _change(was, now)
                if label is not None:
                    yield f"epochs {broker}-{partition}", label


def _change(was: DirectoryLog, now: DirectoryLog) -> dict[str, Any] | None:
    entries = len(now.epochs)
    added = [entry for entry in now.epochs if entry not in was.epochs]
    removed = [entry for entry in was.epochs if entry not in now.epochs]
    if not added:
        return {"event": "cut", "end": now.end_offset, "entries": entries}
    (entry,) = added
    if [known.start for known in removed] == [entry.start]:
        return None
    label = {"event": "assign", "epoch": entry.epoch, "start": entry.start}
    return {**label, "entries": entries}
