"""What makes the cluster in KRaft mode with fetcher threads finite."""

from __future__ import annotations

from functools import cache

from attrs import field, frozen
from attrs.validators import ge, in_

from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.kraft.bounds import KraftBounds


@frozen
class KraftComposedBounds(KraftBounds):
    """The bounds of the cluster in KRaft mode, and the faults of the fetcher threads.

    What must be 0 has no action here: answers are late by themselves, the directory of
    each replica is known and stays configured, and the topic stays. With
    ``other_partitions`` each thread has a partition of another topic as well, so that
    it outlives this one; nothing is ever said of that partition.
    """

    late_answers: int = field(default=0, validator=in_((0,)))
    unassigned: int = field(default=0, validator=in_((0,)))
    removed_directories: int = field(default=0, validator=in_((0,)))
    topic_deletions: int = field(default=0, validator=in_((0,)))
    topic_creations: int = field(default=0, validator=in_((0,)))
    unregistrations: int = field(default=0, validator=in_((0,)))
    network_errors: int = field(default=0, validator=ge(0))
    log_errors: int = field(default=0, validator=ge(0))
    corrupt_batches: int = field(default=0, validator=ge(0))
    other_partitions: int = field(default=0, validator=in_((0, 1)))

    @property
    def keeps_threads(self) -> bool:
        """Tell whether a thread outlives the last fetch of the partition."""
        return self.other_partitions == 1


@cache
def bounds_of_fetchers(bounds: KraftComposedBounds) -> FetchingBounds:
    """The bounds of the fetching brokers that have the same size and faults."""
    return FetchingBounds(
        brokers=bounds.brokers,
        records=bounds.records,
        network_errors=bounds.network_errors,
        log_errors=bounds.log_errors,
        corrupt_batches=bounds.corrupt_batches,
    )
