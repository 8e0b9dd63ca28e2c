"""Searches of toys, with the engine that a test is given."""

from __future__ import annotations

from typing import Any

from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from toys import Toy

KEEP_GOING = Search(stop=Stop.DECIDED)


def search(
    engine: Engine, model: Toy, *properties: Property, how: Search = KEEP_GOING
) -> Report[Any]:
    """An engine's report."""
    return engine.explore(model, properties, how)
