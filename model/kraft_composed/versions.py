"""Protocols of controller, brokers and fetcher threads with one rule more than 4.1.1.

Each has the least change that ends a finding.
"""

from __future__ import annotations

from replicheck.model.fetching.versions.truncation_on_fetch import (
    is_still_in_the_epoch,
    is_still_there,
)
from replicheck.model.kraft.broker import metadata_publisher
from replicheck.model.kraft.versions import (
    follower_states_after_skipped_epoch,
    make_leader_of_newer_partition_epoch,
)
from replicheck.model.kraft_composed.protocols import KAFKA_4_1

FORGETS_AFTER_SKIPPED_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.follower_states, by=follower_states_after_skipped_epoch
).named("forgets-after-skipped-epoch")
IGNORES_EQUAL_PARTITION_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.make_leader, by=make_leader_of_newer_partition_epoch
).named("ignores-equal-partition-epoch")
CUTS_IN_THE_EPOCH = KAFKA_4_1.replacing(is_still_there, by=is_still_in_the_epoch).named(
    "cuts-in-the-epoch"
)
PROTOCOLS = (
    KAFKA_4_1,
    FORGETS_AFTER_SKIPPED_EPOCH,
    IGNORES_EQUAL_PARTITION_EPOCH,
    CUTS_IN_THE_EPOCH,
)
