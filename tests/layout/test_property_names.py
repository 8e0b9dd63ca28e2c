"""The name of a property says what holds in at most six words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from replicheck.invariants.catalogue.systems import System
from shipped import SYSTEMS

MOST_WORDS = 6
VAGUE_WORDS = frozenset(
    ["a", "an", "another", "anyone", "nobody", "other", "the", "who", "whoever"]
)
"""Articles, and pronouns that leave open who is meant."""


def faults_of_names(names: Iterable[str]) -> Iterator[str]:
    """Names with too many words, or with words that say nothing."""
    for name in names:
        words = name.split("_")
        if len(words) > MOST_WORDS:
            yield f"{name}: {len(words)} words, {MOST_WORDS} at most"
        vague = VAGUE_WORDS.intersection(words)
        if vague:
            yield f"{name}: without {', '.join(sorted(vague))}"


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_each_property_of_a_shipped_model_has_a_short_name(system: System) -> None:
    """Six words at most, and no article or pronoun among them."""
    assert system.predicates
    assert list(faults_of_names(system.predicates)) == []


@pytest.mark.parametrize(
    "name",
    [
        "leader_of_each_partition_is_in_its_isr",
        "the_leader_is_in_isr",
        "nobody_leads",
        "whoever_leads_has_records",
        "leader_waits_for_another",
    ],
)
def test_a_long_or_vague_name_is_found(name: str) -> None:
    """Each rule of this page can fail."""
    assert list(faults_of_names([name])) != []


def test_six_words_and_a_number_are_allowed() -> None:
    """What only seems to break the rule."""
    names = ["partition_has_at_most_one_fetcher", "move_thread_copies_one_log"]
    assert list(faults_of_names(names)) == []
