"""Mutations: Kafka 2.5.1 with one rule broken on purpose.

Each replaces transition functions by others that are spelled out here, so that the
protocol itself has no switch for them. A module has those of one subject. Where each
shows, and what catches it, is data: see ``invariants/mutants``.
"""

from __future__ import annotations

from replicheck.model.cluster.mutations import (
    brokers,
    confirming,
    creation,
    deletion,
    elections,
    epochs,
    failover,
    fetchers,
    isr,
    isr_notifications,
    log_dirs,
    offline_replicas,
    reassignment,
    registration,
    replication,
    requests,
    responses,
    sending,
    terms,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.protocol import mutations_of

SUBJECTS = (
    creation,
    elections,
    responses,
    isr,
    requests,
    sending,
    brokers,
    log_dirs,
    deletion,
    failover,
    reassignment,
    terms,
    registration,
    offline_replicas,
    confirming,
    epochs,
    replication,
    fetchers,
    isr_notifications,
)

MUTATIONS = tuple(
    mutation
    for subject in SUBJECTS
    for mutation in mutations_of(KAFKA_2_5, subject.MUTATIONS)
)
"""Each mutation as a protocol; its name begins with its id."""
