"""Runs of real clusters rule out mutants of the model."""

from __future__ import annotations

import re

import pytest

from checkout import OBSERVATIONS, ROOT
from mutants_ruled_out import EXPLAINED, NOT_MET, RULED_OUT, outcome, runs_of
from replicheck.explorer.engines.trace_validation.explanation import Effort
from shipped import CATALOGUE
from slow import by_night

pytestmark = pytest.mark.slow

ISR_SHRINKS = OBSERVATIONS / "runs" / "isr_shrinks.jsonl"
PAGE = (ROOT / "docs" / "ruled-out.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\S+)` \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
"""For each mutant of the page the answer, and the file or the reason."""
IS_RULED_OUT = [name for name, answer, _ in ROWS if answer == RULED_OUT]
BY_FILE = [
    (name, told.strip("`"))
    for name, answer, told in ROWS
    if answer == RULED_OUT and "too many for a test" not in told
]
ENOUGH = Effort(nodes=50_000)


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


def test_the_page_has_each_mutant_once() -> None:
    """Each is ruled out by a file, or the page says why none does."""
    mutants = CATALOGUE.systems["cluster"].mutations
    assert sorted(name for name, _, _ in ROWS) == sorted(m.name for m in mutants)
    assert f"Of {len(mutants)} mutants {len(IS_RULED_OUT)} are ruled out." in PAGE


@pytest.mark.parametrize(
    ("mutant", "name"),
    [
        pytest.param(mutant, name, marks=by_night if place % 4 else ())
        for place, (mutant, name) in enumerate(BY_FILE)
    ],
)
def test_the_file_on_the_page_rules_the_mutant_out(mutant: str, name: str) -> None:
    """What the page says of a file is what the whole search of it finds."""
    (run,) = runs_of([OBSERVATIONS / "runs" / f"{name}.jsonl"], ENOUGH)
    protocol = CATALOGUE.systems["cluster"].protocols_by_name[mutant]
    assert run.outcome(protocol).answer == RULED_OUT
