"""The number of a broker's fetcher threads for each leader, which can be changed.

The manager's lock is held meanwhile, so no request is obeyed; threads go on.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.fetch_state import InitialFetchState
from replicheck.model.fetching.cells.requests import IDLE, Becoming, RequestHandler
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def resize_thread_pool(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The number of fetchers is changed; ``fetcher`` is the last one from now on.

    What every thread knows is noted. Abstraction: that of all threads at once.

    Rules: F-MGR-5.  Source: AbstractFetcherManager.resizeThreadPool.
    """
    if not cluster.faults.allow("resizes"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.handlers[broker].is_idle():
        return
    size = fetcher + 1
    if cluster.pools[broker].has_size(size):
        return
    noted = tuple(
        state
        for thread in cluster.threads_of(broker)
        for state in partitions_to_migrate(cluster, thread)
    )
    yield cluster.evolve(
        pools={broker: cluster.pools[broker].resize(size, noted)},
        handlers={broker: RequestHandler(Becoming.RESIZED)},
        faults=cluster.faults.spend("resizes"),
    )


@rule
def partitions_to_migrate(
    cluster: Brokers, thread: ThreadId
) -> tuple[InitialFetchState, ...]:
    """The fetch states of a thread's partitions, all of which may move.

    Rules: F-MGR-5.  Source: AbstractFetcherThread.partitionsAndOffsets.
    """
    noted = []
    for partition in cluster.bounds.partition_ids:
        if cluster.fetch_state(thread, partition).is_tracked():
            state = cluster.fetch_state(thread, partition)
            epoch, offset = state.epoch, state.offset
            assert epoch is not None, "a partition that is tracked has an epoch"
            noted.append(InitialFetchState(thread.leader, partition, epoch, offset))
    return tuple(noted)


def migrate_partitions(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """Every partition that was noted is removed, and added where it belongs now.

    It begins anew where it was when it was noted. If it has failed since then, it has
    not any more, though the epoch is the same.

    Rules: F-MGR-5, F-MGR-1, F-FAIL-3.
    Source: AbstractFetcherManager.resizeThreadPool.
    """
    if not cluster.handlers[broker].is_making(Becoming.RESIZED):
        return
    states = cluster.pools[broker].states
    for state in states:
        cluster = remove_fetcher_for_partitions(cluster, broker, state.partition)
    for state in states:
        cluster = add_fetcher_for_partitions(
            cluster, broker, state.partition, state.leader, state.epoch, state.offset
        )
    migrated = {broker: cluster.pools[broker].settle()}
    cluster = cluster.evolve(pools=migrated, handlers={broker: IDLE})
    yield shutdown_idle_fetcher_threads(cluster, broker)
