"""Files are measured before they are read, and JSON is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replicheck.explorer.runtime.bounded_files import parse_json, read_bounded


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    """One byte more is too much."""
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_bounded(path, 4)


def test_nothing_waits_for_a_pipe(tmp_path: Path) -> None:
    """A pipe without a writer is refused at once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="no regular file"):
        read_bounded(path)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full"])
def test_a_device_is_no_file(path: str) -> None:
    """It has no end."""
    with pytest.raises(OSError, match="no regular file"):
        read_bounded(Path(path))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """It is refused in the system's words."""
    with pytest.raises(IsADirectoryError):
        read_bounded(tmp_path)


def test_a_name_with_a_nul_character() -> None:
    """It is refused as every other file that cannot be read."""
    with pytest.raises(OSError, match="NUL"):
        read_bounded(Path("a\0b"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("1" * 41, "an integer of 41 digits"),
        ("-" + "1" * 5_000, "an integer of 5,001 digits"),
        ("[NaN]", "NaN"),
        ("-Infinity", "Infinity"),
        ("{", "Expecting"),
    ],
)
def test_json_is_bounded(text: str, reason: str) -> None:
    """Whatever is wrong with it, there is one kind of error."""
    with pytest.raises(ValueError, match=reason):
        parse_json(text)


def test_json_of_any_other_kind_is_read() -> None:
    """64 bits fit."""
    assert parse_json(f'{{"a": [{2**64}, 1.5, null]}}') == {"a": [2**64, 1.5, None]}
