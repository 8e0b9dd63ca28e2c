"""Text of a model or a file is printed without control characters."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.traces.printable_text import (
    has_control_character,
    printable,
    printable_line,
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r::error::b", "a\\r::error::b"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("one\ntwo\tthree", "one\ntwo\tthree"),
        ("é, 中, 🙂", "é, 中, 🙂"),
    ],
)
def test_examples(text: str, printed: str) -> None:
    """Only what a terminal or a CI server would act on is escaped."""
    assert printable(text) == printed


@given(st.text())
def test_nothing_that_is_printed_controls_anything(text: str) -> None:
    """What is left of the control characters are newlines and tabs."""
    left = {char for char in printable(text) if unicodedata.category(char) == "Cc"}
    assert left <= {"\n", "\t"}
    assert not has_control_character(printable_line(text))


@given(st.text())
def test_what_can_be_printed_stays(text: str) -> None:
    """To escape twice is to escape once."""
    assert printable(printable(text)) == printable(text)
