"""The describer of KRaft's brokers with fetcher threads: that of both models."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.describers.model_describer import (
    MessageInFlight,
    documents_of,
)
from replicheck.invariants.fetching.describer import DESCRIBER as OF_FETCHING
from replicheck.invariants.fetching.describer import FETCHES, fetch_messages
from replicheck.invariants.kraft.describer import DESCRIBER as OF_KRAFT
from replicheck.invariants.kraft.describer import in_flight as of_kraft_in_flight
from replicheck.model.kraft_composed.mutations import MUTATIONS
from replicheck.model.kraft_composed.state import KraftComposed
from replicheck.model.kraft_composed.versions import PROTOCOLS


def _in_flight(cluster: KraftComposed) -> tuple[MessageInFlight, ...]:
    return (*of_kraft_in_flight(cluster), *fetch_messages(cluster.calls))


DOCUMENTS = documents_of([*MUTATIONS, *PROTOCOLS])

DESCRIBER = evolve(
    OF_KRAFT,
    documents=DOCUMENTS,
    in_flight=_in_flight,
    actors={
        action: parameter
        for action, parameter in {**OF_KRAFT.actors, **OF_FETCHING.actors}.items()
        if action in DOCUMENTS
    },
    decides=OF_KRAFT.decides & DOCUMENTS.keys(),
    links=(
        evolve(
            FETCHES,
            replies=FETCHES.replies & DOCUMENTS.keys(),
            silent=FETCHES.silent & DOCUMENTS.keys(),
        ),
    ),
)
