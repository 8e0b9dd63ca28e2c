"""Configurations of a topic, and the sets of faults that each is asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product

from attrs import frozen

FAULTS: Mapping[str, str] = {
    "crash": "crashes",
    "disk": "directory_failures",
    "session": "session_expiries",
    "controller": "controller_moves",
}
"""For each fault the bound of `cluster` that says how often it happens."""

QUESTIONS: Mapping[str, str] = {
    "lost": "acknowledged_record_is_lost",
    "writes": "partition_accepts_no_records",
    "reads": "partition_serves_no_reads",
}
"""For each question the witness of `cluster` that a run has to reach."""

SCENARIO = "brokers-crash-while-producers-wait"
"""The scenario whose protocol and start the searches have."""

MOST_FAULTS = 3
MOST_REPLICAS = 3
"""Replication factors above are not among the shipped results."""
DIRECTORIES = 2

LIMIT_OF_FEWER = 20_000_000
LIMIT_OF_THREE = 1_000_000

FaultSet = tuple[str, ...]
"""Faults in the order of `FAULTS`; one that may happen twice stands there twice."""


@frozen
class Configuration:
    """Settings of a topic, with the names that Kafka gives them."""

    replication_factor: int
    min_insync_replicas: int
    unclean: bool

    def __str__(self) -> str:
        return (
            f"replication.factor={self.replication_factor},"
            f" min.insync.replicas={self.min_insync_replicas},"
            f" unclean.leader.election.enable={str(self.unclean).lower()}"
        )

    def bounds(self, faults: FaultSet) -> dict[str, int]:
        """Bounds of the search in which these faults may happen.

        A follower may lag as far as min.insync.replicas allows: that is no fault.
        """
        return {
            "brokers": self.replication_factor,
            "directories": DIRECTORIES,
            "min_isr": self.min_insync_replicas,
            "isr_shrinks": self.replication_factor - self.min_insync_replicas,
            "unclean_leader_election": int(self.unclean),
            **{bound: faults.count(fault) for fault, bound in FAULTS.items()},
        }


def shipped_configurations() -> Iterator[Configuration]:
    """Yield the configurations whose results are shipped."""
    for factor in range(1, MOST_REPLICAS + 1):
        for least, unclean in product(range(1, factor + 1), (False, True)):
            yield Configuration(factor, least, unclean)


def fault_sets() -> Iterator[FaultSet]:
    """Yield all sets of faults, those with few faults first."""
    for size in range(MOST_FAULTS + 1):
        yield from combinations_with_replacement(FAULTS, size)


def usual_limit(faults: FaultSet) -> int:
    """States at which the search of a set of faults is cut, unless asked otherwise."""
    return LIMIT_OF_THREE if len(faults) == MOST_FAULTS else LIMIT_OF_FEWER


def is_within(smaller: FaultSet, larger: FaultSet) -> bool:
    """Tell whether no fault of a set is more often than in the other."""
    return all(smaller.count(fault) <= larger.count(fault) for fault in FAULTS)


def set_text(faults: FaultSet) -> str:
    """A set of faults as it is printed, and as `--show` takes it."""
    return ",".join(faults) or "none"
