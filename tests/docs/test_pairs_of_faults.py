"""The suite of pairs of faults is whole, and the page says what is in it."""

from __future__ import annotations

import re

import further_faults
import pairs_of_faults
from further_faults import counts_told
from pairs_of_faults import PAGE, SCENARIOS, known, pairs_of
from shipped import CATALOGUE

ENTRIES = known()


def test_every_scenario_has_an_entry_for_every_pair_of_faults() -> None:
    """Unless such faults cannot happen there."""
    wanted = {
        (name, pair)
        for name in SCENARIOS
        for pair in pairs_of(CATALOGUE.scenarios[name])
    }
    assert set(ENTRIES) == wanted


def test_no_entry_asks_for_what_one_of_its_faults_violates_alone() -> None:
    """A pair is said to violate only what takes both."""
    singles = further_faults.known()
    for (name, pair), entry in ENTRIES.items():
        alone = pairs_of_faults.violated_alone(singles, name, pair)
        asked = {*entry.get("invariants", ()), *entry.get("steps", ())}
        assert not alone & {*asked, *entry["expect"].get("violations", {})}


def test_the_page_has_the_tables_of_the_suite() -> None:
    """`python bench/pairs_of_faults.py --table` writes them anew."""
    assert pairs_of_faults.table(CATALOGUE, ENTRIES) in PAGE.read_text("utf-8")


def test_the_page_counts_the_searches() -> None:
    """Those that hold, those that found something, and those that were cut before."""
    told = " ".join(PAGE.read_text("utf-8").split())
    assert counts_told(ENTRIES.values()) in told


def test_the_page_has_a_cause_for_whatever_is_violated() -> None:
    """For each property and each pair with which it is, and for no other."""
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|`]+) \| [^|]+ \|$", PAGE.read_text("utf-8"), re.M
    )
    explained = {
        (violated, pair) for violated, pairs in rows for pair in pairs.split(", ")
    }
    found = {
        (violated, " + ".join(pair))
        for (_, pair), entry in ENTRIES.items()
        for violated in entry["expect"].get("violations", {})
    }
    assert explained == found
