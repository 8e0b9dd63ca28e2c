"""Searches of the abstract replication: its properties, and instances of it."""

from __future__ import annotations

import pytest
from attrs import evolve

from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.properties import Property, no_deadlock
from replicheck.invariants.replication.properties import SAFETY, STEPS, WITNESSES
from replicheck.model.protocol import ProtocolModel
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import (
    TRUNCATE_TO_HIGH_WATERMARK,
    replication_model,
)
from searches.properties import properties_of

PROPERTIES: tuple[Property, ...] = (
    *properties_of(SAFETY, STEPS, WITNESSES).values(),
    no_deadlock(),
)


ONE_RECORD = ReplicationBounds(brokers=2, log_size=1, records=1, max_leader_epoch=2)
TWO_RECORDS = evolve(ONE_RECORD, log_size=2, records=2)


def truncating_to_high_watermark(bounds: ReplicationBounds) -> ProtocolModel:
    """The replication that loses records."""
    return replication_model(TRUNCATE_TO_HIGH_WATERMARK, bounds)


def make_chunks_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report progress within levels, too."""
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    monkeypatch.setattr(chunk_walker, "CHUNK", 256)
    monkeypatch.setattr(chunk_walker, "BLOCK", 256)
