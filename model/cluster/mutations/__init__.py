"""Mutations: Kafka 2.5.1 with one rule broken on purpose.

Each replaces transition functions by others that are spelled out here, so that the
protocol itself has no switch for them. A module has those of one subject.
"""

from __future__ import annotations

from replicheck.model.cluster.mutations import (
    brokers,
    creation,
    elections,
    failover,
    isr,
    log_dirs,
    requests,
    responses,
)
from replicheck.model.protocol import Protocol

SUBJECTS = (creation, elections, responses, isr, requests, brokers, log_dirs, failover)

MUTATIONS: dict[str, Protocol] = {
    name: protocol.named(name)
    for subject in SUBJECTS
    for name, protocol in subject.MUTATIONS.items()
}
"""Each mutation as a protocol; its name begins with its id."""
