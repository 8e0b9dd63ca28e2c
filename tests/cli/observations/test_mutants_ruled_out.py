"""Runs of real clusters rule out mutants of the model."""

from __future__ import annotations

import pytest

from checkout import OBSERVATIONS
from mutants_ruled_out import RULED_OUT, outcome
from replicheck.cli.observations.observation_file import load
from replicheck.explorer.engines.trace_validation.explanation import Effort

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [
        ("m-3-call-no-replica-new", RULED_OUT),
        ("b-lir-6-lead-instead-of-following", RULED_OUT),
        ("b-new-1-create-logs-only-if-new", "explained"),
        ("kafka-2.5.1", "explained"),
    ],
)
def test_a_run_rules_out_what_the_mutant_cannot_do(mutant: str, expected: str) -> None:
    """The whole search finds a run, or none; the name of an action is no reason."""
    path = OBSERVATIONS / "runs" / "isr_shrinks.jsonl"
    found, _ = outcome(mutant, [(path, load(path))], Effort(nodes=2500))
    assert found == expected
