"""KRaft: the suite of all further faults is whole, and the page says what is in it."""

from __future__ import annotations

import re

from further_faults import counts_told
from kraft_further_faults import KINDS, PAGE, SCENARIOS, known, table
from shipped import CATALOGUE

ENTRIES = known()


def test_every_scenario_has_an_entry_for_every_kind_of_fault() -> None:
    """All 26 of the reference, unless such a fault cannot happen there."""
    wanted = {
        (scenario.name, kind.name)
        for scenario in SCENARIOS
        for kind in KINDS
        if kind.can_happen(dict(CATALOGUE.scenarios[scenario.name].bounds))
    }
    assert set(ENTRIES) == wanted
    numbers = sorted(number for scenario in SCENARIOS for number in scenario.numbers)
    assert numbers == list(range(1, 27))


def test_the_page_has_the_table_of_the_suite() -> None:
    """`python bench/kraft_further_faults.py` writes it anew."""
    assert table(ENTRIES) in PAGE.read_text("utf-8")


def test_the_page_counts_the_searches() -> None:
    """Those that hold, those that found something, and those that were cut before."""
    told = " ".join(PAGE.read_text("utf-8").split())
    assert counts_told(ENTRIES.values()) in told


def test_the_page_has_a_cause_for_whatever_is_violated() -> None:
    """For each property and each kind of fault with which it is, and for no other."""
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|`]+) \| [^|]+ \|$", PAGE.read_text("utf-8"), re.M
    )
    explained = {
        (violated, kind) for violated, kinds in rows for kind in kinds.split(", ")
    }
    found = {
        (violated, kind)
        for (_, kind), entry in ENTRIES.items()
        for violated in entry["expect"].get("violations", {})
    }
    assert explained == found
