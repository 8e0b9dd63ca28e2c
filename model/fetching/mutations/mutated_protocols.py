"""Mutated protocols: each mutation of all subjects as a protocol of its own."""

from __future__ import annotations

from replicheck.model.fetching.mutations import (
    failing,
    fetches,
    leading,
    moving,
    replicas,
    requests,
    truncating,
)
from replicheck.model.fetching.mutations.bugs import (
    brokers,
    fetchers,
    known,
    restarts,
    truncation_on_fetch,
)
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.versions.history import (
    KAFKA_2_8,
    KAFKA_3_5,
    TRUNCATE_TO_HIGH_WATERMARK,
)
from replicheck.model.fetching.versions.repaired import REPAIRED
from replicheck.model.protocol import mutations_of

SUBJECTS = (
    truncating,
    fetches,
    failing,
    leading,
    requests,
    moving,
    fetchers,
    brokers,
    replicas,
    restarts,
)

MUTATIONS = (
    *(
        mutation
        for subject in SUBJECTS
        for mutation in mutations_of(KAFKA_2_5, subject.MUTATIONS)
    ),
    *mutations_of(TRUNCATE_TO_HIGH_WATERMARK, restarts.OF_TRUNCATION_TO_HIGH_WATERMARK),
    *mutations_of(KAFKA_2_8, truncation_on_fetch.OF_KAFKA_2_8),
    *mutations_of(KAFKA_3_5, truncation_on_fetch.MUTATIONS),
    *mutations_of(REPAIRED, known.MUTATIONS),
)
"""Each mutation as a protocol; K-1 to K-9 are those of the failure interleavings."""
