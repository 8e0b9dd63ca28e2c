"""What makes the fetching brokers finite: size, and a budget for each fault."""

from __future__ import annotations

from typing import NewType

from attrs import field, frozen
from attrs.validators import ge

from replicheck.model.shared.sizes import ReplicaSizes
from replicheck.model.vocabulary import DirectoryId, PartitionId

FetcherId = NewType("FetcherId", int)
"""The number of a thread among the threads that fetch from one broker."""


@frozen
class FetchingBounds(ReplicaSizes):
    """The size of an instance, and how often each fault happens at most.

    ``fetchers`` is Kafka's ``num.replica.fetchers``. ``fetch_size`` is the number of
    records that an answer brings at most, over all partitions; 0 is no limit.
    ``min_isr`` is min.insync.replicas, for producers that wait for all in sync; with 0
    no thread waits. With ``failed_creations`` above 0 a log that was deleted cannot be
    created anew in a bad directory. A fault with budget 0 is no action of the model.
    """

    brokers: int = field(default=2, validator=ge(1))
    partitions: int = field(default=1, validator=ge(1))
    directories: int = field(default=1, validator=ge(1))
    fetchers: int = field(default=1, validator=ge(1))
    records: int = field(default=1, validator=ge(0))
    max_leader_epoch: int = field(default=1, validator=ge(0))
    isr_shrinks: int = field(default=0, validator=ge(0))
    crashes: int = field(default=0, validator=ge(0))
    restarts: int = field(default=0, validator=ge(0))
    checkpoints: int = field(default=0, validator=ge(0))
    lost_tails: int = field(default=0, validator=ge(0))
    directory_failures: int = field(default=0, validator=ge(0))
    lost_requests: int = field(default=0, validator=ge(0))
    repeated_requests: int = field(default=0, validator=ge(0))
    unknown_leaders: int = field(default=0, validator=ge(0))
    aborted_requests: int = field(default=0, validator=ge(0))
    stops: int = field(default=0, validator=ge(0))
    deletions: int = field(default=0, validator=ge(0))
    unclean_elections: int = field(default=0, validator=ge(0))
    network_errors: int = field(default=0, validator=ge(0))
    log_errors: int = field(default=0, validator=ge(0))
    thread_errors: int = field(default=0, validator=ge(0))
    resizes: int = field(default=0, validator=ge(0))
    corrupt_batches: int = field(default=0, validator=ge(0))
    moves: int = field(default=0, validator=ge(0))
    stalled_handlers: int = field(default=0, validator=ge(0))
    caught_up_followers: int = field(default=0, validator=ge(0))
    immediate_answers: int = field(default=0, validator=ge(0))
    lost_log_starts: int = field(default=0, validator=ge(0))
    clean_shutdowns: int = field(default=0, validator=ge(0))
    failed_starts: int = field(default=0, validator=ge(0))
    failed_creations: int = field(default=0, validator=ge(0))
    consumer_reads: int = field(default=0, validator=ge(0))
    min_isr: int = field(default=0, validator=ge(0))
    fetch_size: int = field(default=0, validator=ge(0))

    @property
    def fetcher_ids(self) -> tuple[FetcherId, ...]:
        """The ids of the threads that fetch from one broker."""
        return tuple(FetcherId(fetcher) for fetcher in range(self.fetchers))

    def directory_of(self, partition: PartitionId) -> DirectoryId:
        """The directory in which every broker creates its log of a partition, in turn.

        Abstraction: Kafka takes the directory with the fewest logs.
        """
        return DirectoryId(partition % self.directories)
