"""No Kafka word in the engine.

Which package may import which is checked by import-linter; see setup.cfg.
"""

from __future__ import annotations

import re

from checkout import ROOT

# An underscore ends a word, so that `broker_id` counts; so does a capital.
KAFKA_WORD = re.compile(
    r"(?<![a-z])"
    r"(kafka|brokers?|replicas?|partition[ _]+leaders?|isrs?|zookeeper|controllers?)"
    r"(?![a-z])",
    re.IGNORECASE,
)
CAPITAL_IN_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def kafka_words(text: str) -> list[str]:
    """The Kafka words of a text, also those inside identifiers."""
    return KAFKA_WORD.findall(CAPITAL_IN_WORD.sub(" ", text))


def test_the_explorer_has_no_kafka_word() -> None:
    """The engine explores any model: no file of it speaks of Kafka."""
    found = {
        str(file.relative_to(ROOT)): words
        for file in (ROOT / "explorer").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        if (words := kafka_words(f"{file.name}\n{file.read_text(encoding='utf-8')}"))
    }
    assert found == {}


def test_kafka_words_are_found_inside_identifiers() -> None:
    """Neither an underscore nor a capital hides a Kafka word."""
    text = "broker_id, LeaderAndIsr, Partition leader"
    assert kafka_words(text) == ["broker", "Isr", "Partition leader"]


def test_the_words_of_the_engine_are_allowed() -> None:
    """The frontier is partitioned, and the project has a name."""
    assert kafka_words("replicheck partitions its frontier; replication") == []
