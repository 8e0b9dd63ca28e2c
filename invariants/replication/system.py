"""The model ``replication``, and the properties that go with it."""

from __future__ import annotations

from replicheck.invariants.replication import properties
from replicheck.model.modelling.model import Model
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.mutations import MUTATIONS
from replicheck.model.replication.protocols import PROTOCOLS, replication_model
from replicheck.model.replication.state import AbstractCluster

MODEL = Model("replication", ReplicationBounds)
MODEL.build_by(replication_model, AbstractCluster)
MODEL.add_protocols(*PROTOCOLS)
MODEL.add_mutations(*MUTATIONS)
MODEL.claim(properties.SAFETY, properties.STEPS, properties.WITNESSES)
MODEL.describe_by("replicheck.invariants.replication.describer:DESCRIBER")
