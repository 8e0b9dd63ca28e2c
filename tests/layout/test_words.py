"""Words: what is read uses the terms of the glossary, and says who does what."""

from __future__ import annotations

import re

import pytest

from checkout import CODE_FOLDERS, ROOT

FOLDERS = (".", "docs", *CODE_FOLDERS)
KINDS = ("css", "html", "jinja", "js", "md", "py", "scala", "toml")
DROPPED = re.compile(
    r"\b(whoever|whomever|nobody|anybody|everybody|mended|claims nothing|shepherd"
    r"|responses-without-news|answers-as-known|update-metadata-first)\b",
    re.IGNORECASE,
)
"""Pronouns that leave open who is meant, metaphors, and names of before."""
QUOTING = {"CHANGELOG.md", "test_words.py", "test_property_names.py"}
"""Files that name dropped words."""
ACCOUNT = 'AWS_ACCESS_KEY_ID", "nobody"'


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_page_and_no_code_has_a_dropped_word(folder: str) -> None:
    """Each is said by its line, so that it can be said in another way."""
    pattern = "*.{}" if folder == "." else "**/*.{}"
    files = [
        file
        for kind in KINDS
        for file in (ROOT / folder).glob(pattern.format(kind))
        if file.name not in QUOTING
    ]
    assert files
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if DROPPED.search(line) and ACCOUNT not in line
    ]
    assert found == []


def test_a_dropped_word_is_seen() -> None:
    """In any case, and only as a whole word."""
    assert DROPPED.search("Nobody leads")
    assert DROPPED.search("this claims nothing of it")
    assert not DROPPED.search("recommended")
