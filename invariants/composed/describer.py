"""The describer of the cluster with fetcher threads: that of its two models."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.cluster.describer import DESCRIBER as OF_CLUSTER
from replicheck.invariants.describers.model_describer import documents_of
from replicheck.invariants.fetching.describer import DESCRIBER as OF_FETCHING
from replicheck.invariants.fetching.describer import FETCHES
from replicheck.model.composed.mutations import MUTATIONS
from replicheck.model.composed.versions import PROTOCOLS

DOCUMENTS = documents_of([*MUTATIONS, *PROTOCOLS])

DESCRIBER = evolve(
    OF_CLUSTER,
    documents=DOCUMENTS,
    actors={
        action: parameter
        for action, parameter in {**OF_CLUSTER.actors, **OF_FETCHING.actors}.items()
        if action in DOCUMENTS
    },
    links=(
        OF_CLUSTER.links[0],
        evolve(
            FETCHES,
            replies=FETCHES.replies & DOCUMENTS.keys(),
            silent=FETCHES.silent & DOCUMENTS.keys(),
        ),
    ),
)
