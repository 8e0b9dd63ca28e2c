"""The shipped scenarios, suites and mutants, read once for all tests."""

from __future__ import annotations

from replicheck.invariants.catalogue.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
SYSTEMS = CATALOGUE.systems
