"""The describer of the cluster with fetcher threads: that of its two models."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.cluster.describer import DESCRIBER as OF_CLUSTER
from replicheck.invariants.cluster.describer import in_flight as of_cluster_in_flight
from replicheck.invariants.describers.model_describer import (
    MessageInFlight,
    documents_of,
)
from replicheck.invariants.fetching.describer import DESCRIBER as OF_FETCHING
from replicheck.invariants.fetching.describer import FETCHES, fetch_messages
from replicheck.model.cluster.reductions.redundant_responses import without_known
from replicheck.model.composed.mutations import MUTATIONS
from replicheck.model.composed.protocols import KAFKA_2_5
from replicheck.model.composed.state import Composed
from replicheck.model.composed.versions import PROTOCOLS


def _in_flight(cluster: Composed) -> tuple[MessageInFlight, ...]:
    return (*of_cluster_in_flight(cluster), *fetch_messages(cluster.calls))


DOCUMENTS = documents_of([*MUTATIONS, *PROTOCOLS, without_known(KAFKA_2_5)])

DESCRIBER = evolve(
    OF_CLUSTER,
    documents=DOCUMENTS,
    in_flight=_in_flight,
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
