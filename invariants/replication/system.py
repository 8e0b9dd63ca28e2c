"""The model ``replication``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.replication import properties
from replicheck.invariants.replication.run_claims import RUN_CLAIMS
from replicheck.model.modelling.model import Model
from replicheck.model.replication import controller, leader
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.mutations import MUTATIONS
from replicheck.model.replication.protocols import PROTOCOLS, replication_model
from replicheck.model.replication.state import AbstractCluster

MODEL = Model("replication", ReplicationBounds)
MODEL.build_by(replication_model, AbstractCluster)
MODEL.add_protocols(*PROTOCOLS)
MODEL.add_mutations(*MUTATIONS)
MODEL.add_unfair(
    controller.elect_leader,
    controller.elect_leader_among_live,
    controller.remove_from_isr,
    leader.append_to_leader,
    leader.shrink_isr,
    leader.fenced_shrink_isr,
    leader.epoch_checked_shrink_isr,
    leader.delayed_shrink_isr,
)
MODEL.claim(properties.SAFETY, properties.STEPS, properties.WITNESSES)
MODEL.claim_of_runs(*RUN_CLAIMS)
MODEL.describe_by("replicheck.invariants.replication.describer:DESCRIBER")
