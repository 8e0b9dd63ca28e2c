"""Runs of real clusters rule out mutants of the model."""

from __future__ import annotations

import pytest

from checkout import OBSERVATIONS
from mutants_ruled_out import EXPLAINED, NOT_MET, RULED_OUT, outcome, runs_of
from replicheck.explorer.engines.trace_validation.explanation import Effort
from shipped import CATALOGUE

pytestmark = pytest.mark.slow

ISR_SHRINKS = OBSERVATIONS / "runs" / "isr_shrinks.jsonl"


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [
        ("m-3-call-no-replica-new", RULED_OUT),
        ("b-lir-6-lead-instead-of-following", RULED_OUT),
        ("b-new-1-create-logs-only-if-new", NOT_MET),
        ("kafka-9839-refuse-any-other-epoch", EXPLAINED),
    ],
)
def test_a_run_rules_out_what_the_mutant_cannot_do(mutant: str, expected: str) -> None:
    """The whole search finds a run, or none; the name of an action is no reason."""
    runs = runs_of([ISR_SHRINKS], Effort(nodes=2500))
    protocol = CATALOGUE.systems["cluster"].protocols_by_name[mutant]
    assert outcome(protocol, list(runs)).answer == expected
