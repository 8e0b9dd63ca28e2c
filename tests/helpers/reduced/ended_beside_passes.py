"""Searches that the user ends while something runs beside the passes."""

from __future__ import annotations

from typing import Any

import pytest

from replicheck.explorer.engine import Progress, Watch
from replicheck.explorer.engines.reduced import passes


def ends_once_called(monkeypatch: pytest.MonkeyPatch, name: str) -> Watch:
    """A watch that ends what is at work once the passes have called a function.

    Args:
        name: that of the function in `passes`.
    """
    function, calls = getattr(passes, name), list[str]()

    def noticed(*arguments: Any, **options: Any) -> Any:
        calls.append(name)
        return function(*arguments, **options)

    def watch(progress: Progress) -> None:
        if calls:
            raise KeyboardInterrupt

    monkeypatch.setattr(passes, name, noticed)
    return watch
