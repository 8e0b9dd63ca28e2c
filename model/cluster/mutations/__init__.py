"""Mutations: Kafka 2.5.1 with one rule broken on purpose.

Each replaces transition functions by others that are spelled out here, so that the
protocol itself has no switch for them. A module has those of one subject. Where each
shows, and what catches it, is data: see ``invariants/mutants``.
"""

from __future__ import annotations

from replicheck.model.cluster.mended import MENDED
from replicheck.model.cluster.mutations import (
    again,
    between_steps,
    brokers,
    confirming,
    creation,
    deletion,
    deletion_steps,
    elections,
    epochs,
    failover,
    fetchers,
    isr,
    isr_notifications,
    known,
    log_dirs,
    moving,
    offline_replicas,
    reassignment,
    registration,
    replication,
    requests,
    responses,
    sending,
    telling,
    terms,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.single_steps import SINGLE_STEPS
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
    moving,
    telling,
    deletion_steps,
    again,
)

MUTATIONS = tuple(
    mutation
    for subject in SUBJECTS
    for mutation in mutations_of(KAFKA_2_5, subject.MUTATIONS)
)
MUTATIONS += mutations_of(MENDED, known.MUTATIONS)
MUTATIONS += mutations_of(SINGLE_STEPS, between_steps.MUTATIONS)
"""Each mutation as a protocol; its name begins with its id."""
