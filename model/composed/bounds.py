"""What makes the cluster with fetcher threads finite."""

from __future__ import annotations

from functools import cache

from attrs import asdict, field, fields, frozen
from attrs.validators import ge, in_

from replicheck.model.cluster import bounds as of_cluster
from replicheck.model.fetching import bounds as of_fetching


@frozen
class Bounds(of_cluster.Bounds):
    """The bounds of the cluster, and the faults of the fetcher threads.

    One thread fetches from each broker. What has to be 0 is of the cluster, and the
    threads do not know of it yet.
    """

    spare_brokers: int = field(default=0, validator=in_((0,)))
    isr_notifications: int = field(default=0, validator=in_((0,)))
    acknowledgements: int = field(default=0, validator=in_((0,)))
    replacements: int = field(default=0, validator=in_((0,)))
    session_expiries: int = field(default=0, validator=in_((0,)))
    duplicates: int = field(default=0, validator=in_((0,)))
    lost_replies: int = field(default=0, validator=in_((0,)))
    preferred_directories: int = field(default=0, validator=in_((0,)))
    shutdowns: int = field(default=0, validator=in_((0,)))
    topic_deletions: int = field(default=0, validator=in_((0,)))
    reassignments: int = field(default=0, validator=in_((0,)))
    cancellations: int = field(default=0, validator=in_((0,)))
    deletions: int = field(default=0, validator=ge(0))
    network_errors: int = field(default=0, validator=ge(0))
    log_errors: int = field(default=0, validator=ge(0))
    corrupt_batches: int = field(default=0, validator=ge(0))


@cache
def bounds_of_fetchers(bounds: Bounds, max_leader_epoch: int = 1) -> of_fetching.Bounds:
    """Return the bounds of the fetching brokers that have the same size and faults.

    ``max_leader_epoch`` is for their own controller, which the whole does not have.
    """
    known = {each.name for each in fields(of_fetching.Bounds)}
    same = {name: value for name, value in asdict(bounds).items() if name in known}
    return of_fetching.Bounds(**same, max_leader_epoch=max_leader_epoch)
