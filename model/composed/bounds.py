"""What makes the cluster with fetcher threads finite."""

from __future__ import annotations

from functools import cache

from attrs import asdict, field, fields, frozen
from attrs.validators import ge

from replicheck.model.cluster import bounds as of_cluster
from replicheck.model.fetching import bounds as of_fetching


@frozen
class ComposedBounds(of_cluster.Bounds):
    """The bounds of the cluster, and the faults of the fetcher threads.

    ``fetchers`` is Kafka's ``num.replica.fetchers``. ``fetch_size`` is the number of
    records that an answer brings at most, over all partitions; 0 is no limit.
    """

    fetchers: int = field(default=1, validator=ge(1))
    fetch_size: int = field(default=0, validator=ge(0))
    deletions: int = field(default=0, validator=ge(0))
    network_errors: int = field(default=0, validator=ge(0))
    log_errors: int = field(default=0, validator=ge(0))
    corrupt_batches: int = field(default=0, validator=ge(0))
    moves: int = field(default=0, validator=ge(0))
    stalled_handlers: int = field(default=0, validator=ge(0))


@cache
def bounds_of_fetchers(
    bounds: ComposedBounds, max_leader_epoch: int = 1
) -> of_fetching.FetchingBounds:
    """The bounds of the fetching brokers that have the same size and faults.

    ``max_leader_epoch`` is for their own controller, which the whole does not have.
    """
    known = {bound.name for bound in fields(of_fetching.FetchingBounds)}
    shared = {name: value for name, value in asdict(bounds).items() if name in known}
    return of_fetching.FetchingBounds(**shared, max_leader_epoch=max_leader_epoch)
