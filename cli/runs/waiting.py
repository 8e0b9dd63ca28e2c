"""A word to those who wait: why the numbers of a search do not come yet."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer

PATIENCE = 2.0
"""Seconds of silence before the word."""
BEGINNING = "      begins; what the engine has not compiled yet, it compiles now, once"


class Waiting:
    """Says one line if nothing was heard of a search for a while."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Say it with ``say``, in another thread."""
        self._timer = Timer(PATIENCE, say, (BEGINNING,))
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Be silent from now on: something was heard, or nothing more will be."""
        self._timer.cancel()
