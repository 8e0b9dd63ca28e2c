"""A disk on which nothing has room."""

from __future__ import annotations

from typing import NoReturn

import pytest

NO_SPACE = "No space left on device"


def fill_disk(monkeypatch: pytest.MonkeyPatch, writer: str) -> None:
    """Let a function that writes, named by module and name, find the disk full."""

    def fail(*arguments: object) -> NoReturn:
        raise OSError(NO_SPACE)

    monkeypatch.setattr(writer, fail)
