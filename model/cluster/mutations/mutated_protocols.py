"""Mutated protocols: each mutation of all subjects as a protocol of its own."""

from __future__ import annotations

from replicheck.model.cluster.mutations import (
    failures_unheard_of,
    faults_between_steps,
    findings,
    known_bugs,
)
from replicheck.model.cluster.mutations.broker import (
    fetchers,
    isr,
    isr_confirmation,
    log_creation,
    log_dirs,
    offline_replicas,
    replication,
    request_checks,
)
from replicheck.model.cluster.mutations.controller import (
    broker_changes,
    epochs,
    failover,
    partition_elections,
    re_election,
    reassignment,
    responses,
    sending,
    terms,
    topic_deletion,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.versions.old_controller import OLD_CONTROLLER
from replicheck.model.cluster.versions.repaired import REPAIRED
from replicheck.model.cluster.versions.repaired_findings import REPAIRED_FINDINGS
from replicheck.model.cluster.versions.single_steps import SINGLE_STEPS
from replicheck.model.protocol import mutations_of

SUBJECTS = (
    log_creation,
    partition_elections,
    responses,
    isr,
    request_checks,
    sending,
    broker_changes,
    log_dirs,
    topic_deletion,
    failover,
    reassignment,
    terms,
    offline_replicas,
    isr_confirmation,
    epochs,
    replication,
    fetchers,
    re_election,
)

MUTATIONS = tuple(
    mutation
    for subject in SUBJECTS
    for mutation in mutations_of(KAFKA_2_5, subject.MUTATIONS)
)
MUTATIONS += mutations_of(REPAIRED, known_bugs.MUTATIONS)
MUTATIONS += mutations_of(REPAIRED_FINDINGS, findings.MUTATIONS)
MUTATIONS += mutations_of(OLD_CONTROLLER, failures_unheard_of.MUTATIONS)
MUTATIONS += mutations_of(SINGLE_STEPS, faults_between_steps.MUTATIONS)
"""Each mutation as a protocol; its name begins with its id."""
