"""The least change that ends a finding, beneath the controller of 2.5.1."""

from __future__ import annotations

import pytest
from attrs import evolve

from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of
from searches.properties import properties_of
from shipped import CATALOGUE
from slow import by_states

MENDS = {
    ("composed-endless-truncation", "repaired-cuts"): 6_264,
    ("composed-late-cut", "fetchers-kafka-18991-repaired"): 79_828,
    ("composed-move-endless-fetch", "fetchers-kafka-20961"): 150,
    ("composed-move-forgets-an-epoch", "repaired-moves"): 1_760,
    ("composed-move-copies-truncated-records", "repaired-moves"): 143,
    ("composed-move-undoes-a-deletion", "repaired-moves"): 338,
    ("composed-old-answer", "fetchers-kafka-18991"): 151_150,
    ("composed-stalled-request-handler", "repaired-positions"): 512,
}
"""For a scenario and a protocol, the states that can follow."""


@pytest.mark.parametrize("mend", by_states(MENDS, MENDS.__getitem__, limit=10_000))
def test_a_mend_ends_a_finding(mend: tuple[str, str]) -> None:
    """What is violated in the scenario holds in all states that can follow."""
    name, protocol = mend
    scenario = evolve(CATALOGUE.scenarios[name], protocol=protocol)
    system = CATALOGUE.systems[scenario.model]
    claims = properties_of(system.invariants, system.steps, ())
    claimed = [claims[claim] for claim in scenario.properties]
    model = model_of(scenario, system, Place(name))
    report = BreadthFirst(threads=1).explore(model, claimed)
    assert claimed
    assert report.verdict is Verdict.HOLDS
    assert report.states == MENDS[mend]
