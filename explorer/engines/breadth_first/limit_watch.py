"""Limit watch: whom a search tells how far it is, and which limits it heeds."""

from __future__ import annotations

from typing import Generic

from replicheck.explorer.engines.breadth_first.storage import Storage
from replicheck.explorer.model import S
from replicheck.explorer.search.bookkeeping import Bookkeeping, SearchStopped


class LimitWatch(Generic[S]):
    """The limits of one search that may be reached in the middle of a level."""

    def __init__(self, bookkeeping: Bookkeeping[S], storage: Storage) -> None:
        self._bookkeeping, self._storage = bookkeeping, storage
        self._frontier = 0
        """States of the level at work that were not expanded at the last report."""

    def report_progress(self, done: int) -> None:
        """Let the user's watch see the search, and heed the limits.

        Args:
            done: how many states of the level at work are expanded.

        Raises:
            SearchStopped: if a limit is reached.
        """
        storage = self._storage
        self._frontier = len(storage.level.fingerprints) - done
        self._bookkeeping.report_progress(self._frontier)
        if reached := storage.heed():
            raise SearchStopped(reached)

    def report_learning(self) -> None:
        """Do the same while functions are learned, which may take minutes.

        Raises:
            SearchStopped: if a limit is reached.
        """
        self._bookkeeping.report_progress(self._frontier)
        if reached := self._storage.heed_learning():
            raise SearchStopped(reached)
