"""Mutations of the cluster with fetcher threads, where both models meet."""

from __future__ import annotations

from replicheck.model.cluster.broker import log_dirs
from replicheck.model.composed import broker
from replicheck.model.composed.protocols import KAFKA_2_5
from replicheck.model.fetching import fetcher_manager, truncation
from replicheck.model.fetching.mutations.failing import remove_and_leave_the_failure
from replicheck.model.fetching.versions import ask_for_no_epoch
from replicheck.model.protocol import mutations_of

MUTATIONS = mutations_of(
    KAFKA_2_5,
    {
        "composed-b-dir-1-mark-offline-and-go-on-fetching": KAFKA_2_5.replacing(
            broker.mark_replicas_offline, by=log_dirs.mark_replicas_offline
        ),
        "composed-f-mgr-3-remove-and-leave-the-failure": KAFKA_2_5.replacing(
            fetcher_manager.remove_fetcher_for_partitions,
            by=remove_and_leave_the_failure,
        ),
        "composed-k-1-truncate-to-high-watermark": KAFKA_2_5.replacing(
            truncation.classify, by=ask_for_no_epoch
        ),
    },
)
