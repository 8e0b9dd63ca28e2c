"""Mutations: Kafka 2.5.1 with one rule of its fetchers broken on purpose.

Each replaces single rules by others that are spelled out here. A module has those of
one subject. Where each shows, and what catches it, is data: see ``invariants/mutants``.
"""

from __future__ import annotations

from replicheck.model.fetching.mended import MENDED
from replicheck.model.fetching.mutations import (
    bugs_of_brokers,
    bugs_of_fetchers,
    bugs_of_restarts,
    bugs_of_truncation_on_fetch,
    failing,
    fetches,
    known,
    leading,
    moving,
    replicas,
    requests,
    truncating,
)
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.versions import (
    KAFKA_2_8,
    KAFKA_3_5,
    TRUNCATE_TO_HIGH_WATERMARK,
)
from replicheck.model.protocol import mutations_of

SUBJECTS = (
    truncating,
    fetches,
    failing,
    leading,
    requests,
    moving,
    bugs_of_fetchers,
    bugs_of_brokers,
    replicas,
    bugs_of_restarts,
)

MUTATIONS = (
    *(
        mutation
        for subject in SUBJECTS
        for mutation in mutations_of(KAFKA_2_5, subject.MUTATIONS)
    ),
    *mutations_of(
        TRUNCATE_TO_HIGH_WATERMARK, bugs_of_restarts.OF_TRUNCATION_TO_HIGH_WATERMARK
    ),
    *mutations_of(KAFKA_2_8, bugs_of_truncation_on_fetch.OF_KAFKA_2_8),
    *mutations_of(KAFKA_3_5, bugs_of_truncation_on_fetch.MUTATIONS),
    *mutations_of(MENDED, known.MUTATIONS),
)
"""Each mutation as a protocol; K-1 to K-9 are those of the failure interleavings."""
