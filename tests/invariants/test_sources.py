"""One search leads from a class and method of Kafka to the function that is it."""

from __future__ import annotations

import re
import tomllib

import pytest

from checkout import GOLDEN_FILES
from replicheck.invariants.catalogue.rules import docstrings
from shipped import SYSTEMS

MODELS = [*(name.replace("-", "_") for name in SYSTEMS), "shared"]
METHODS = tomllib.loads((GOLDEN_FILES / "kafka-methods.toml").read_text("utf-8"))
SOURCE = re.compile(r"Source:(.*?)(?:\n\s*\n|$)", re.DOTALL)
NO_METHOD = re.compile(
    r"[A-Z]\w+|KIP-\d+|scenario \d|version \d|(Kafka )?\d+\.\d+(\.\d+)?"
    r"|no version of Kafka"
)
"""A class on its own, a text, or a version of Kafka."""
METHOD = re.compile(r"[A-Z]\w+\.\w+(?: \([^)]*\))?")


def sources(text: str) -> list[str]:
    """Sources that a docstring names."""
    names = [name for part in SOURCE.findall(text) for name in re.split("[,;]", part)]
    return [" ".join(name.split()).rstrip(".") for name in names]


def functions() -> dict[str, str]:
    """The docstring of each function and class of Kafka 2.5.1's model."""
    return {
        where: text
        for model in MODELS
        for where, text in docstrings(model).items()
        if "/mutations" not in where
    }


def test_who_follows_a_rule_names_its_source() -> None:
    """A rule is some method's; so a docstring with rules has sources, too."""
    assert not [
        where
        for where, text in functions().items()
        if "Rules:" in text and not sources(text)
    ]


def test_a_method_is_named_with_its_class() -> None:
    """So the name that a stack trace or a search has is in the docstring as it is."""
    assert not [
        (where, name)
        for where, text in functions().items()
        for name in sources(text)
        if not METHOD.fullmatch(name) and not NO_METHOD.fullmatch(name)
    ]


@pytest.mark.parametrize("model", METHODS)
def test_each_method_of_a_rule_is_found(model: str) -> None:
    """A search for the method finds a function of the model."""
    found = {name for text in functions().values() for name in sources(text)}
    known = METHODS[model]
    missing = {
        rule: [name for name in names if name not in found]
        for rule, names in known.items()
    }
    assert not {rule: names for rule, names in missing.items() if names}
