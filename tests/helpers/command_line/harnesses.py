"""Harnesses of Kafka's versions, as tests use them: started once, or skipped."""

from __future__ import annotations

from functools import cache

import pytest

from replicheck.cli.conformance.harness.compilation import is_at_hand
from replicheck.cli.conformance.session import MODEL, Session
from shipped import CATALOGUE

SYSTEM = CATALOGUE.systems[MODEL]
FIRST = "2.5.1"


def needs(version: str) -> None:
    """Skip the test where the harness of a version would have to be downloaded."""
    if not is_at_hand(version):
        pytest.skip(f"no Java, or no jars of Kafka {version}: run `make conform`")


@cache
def session(version: str, protocol: str = "") -> Session:
    """The harness of a version, started once for all tests of a process."""
    needs(version)
    return Session(version, SYSTEM.protocols_by_name[protocol or f"kafka-{version}"])
