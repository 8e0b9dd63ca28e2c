"""Limit watch: what a search heeds while it expands a level, and while it learns."""

from __future__ import annotations

from typing import Generic

from replicheck.explorer.engines.breadth_first.storage import Storage
from replicheck.explorer.model import S
from replicheck.explorer.search.bookkeeping import Bookkeeping, SearchStopped


class LimitWatch(Generic[S]):
    """The limits of one search that may be reached in the middle of a level."""

    def __init__(self, bookkeeping: Bookkeeping[S], storage: Storage) -> None:
        self._bookkeeping, self._storage = bookkeeping, storage

    def report_progress(self, done: int) -> None:
        """Let the user's watch see the search, and heed the limits.

        Args:
            done: how many states of the level at work are expanded.

        Raises:
            SearchStopped: if a limit is reached.
        """
        storage = self._storage
        self._bookkeeping.report_progress(len(storage.level.fingerprints) - done)
        if reached := storage.heed():
            raise SearchStopped(reached)

    def enforce_limits(self) -> None:
        """Heed the limits while functions are learned, which may take minutes.

        Raises:
            SearchStopped: if a limit is reached.
        """
        self._bookkeeping.enforce_seconds()
        if reached := self._storage.heed_learning():
            raise SearchStopped(reached)
