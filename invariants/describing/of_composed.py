"""The voice of the cluster with fetcher threads: that of its two models."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.describing.of_cluster import VOICE as OF_CLUSTER
from replicheck.invariants.describing.of_fetching import VOICE as OF_FETCHING
from replicheck.invariants.describing.voices import documents_of
from replicheck.model.composed.mutations import MUTATIONS
from replicheck.model.composed.protocols import PROTOCOLS

VOICE = evolve(
    OF_CLUSTER,
    documents=documents_of([*MUTATIONS, *PROTOCOLS]),
    asks=OF_FETCHING.asks,
    alone=OF_CLUSTER.alone | OF_FETCHING.alone,
)
