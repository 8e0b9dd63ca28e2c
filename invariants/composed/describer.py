"""The voice of the cluster with fetcher threads: that of its two models."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.cluster.describer import VOICE as OF_CLUSTER
from replicheck.invariants.describers.actor_describer import documents_of
from replicheck.invariants.fetching.describer import VOICE as OF_FETCHING
from replicheck.model.composed.mutations import MUTATIONS
from replicheck.model.composed.protocols import PROTOCOLS

DOCUMENTS = documents_of([*MUTATIONS, *PROTOCOLS])

# Truncation on fetch is no protocol of this system, so its actions have no say here.
VOICE = evolve(
    OF_CLUSTER,
    documents=DOCUMENTS,
    asks=OF_FETCHING.asks & DOCUMENTS.keys(),
    alone=(OF_CLUSTER.alone | OF_FETCHING.alone) & DOCUMENTS.keys(),
)
