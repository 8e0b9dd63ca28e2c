"""The state of the whole cluster as the functions of `model.fetching` know it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import MethodType
from typing import Any, cast

from replicheck.model.composed.bounds import ComposedBounds, bounds_of_fetchers
from replicheck.model.composed.state import Composed
from replicheck.model.fetching import state as of_fetching
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId

NAMES: Mapping[str, str] = {
    "threads": "fetcher_threads",
    "faults": "fetcher_faults",
    "handlers": "request_handlers",
}
"""Cells of the fetching brokers whose name is another cell's in the whole state."""


class FetcherView:
    """Has the cells and methods of the fetching brokers, and one log for each replica.

    A cell that the whole state does not have is as in the beginning, and stays so.
    """

    def __init__(self, whole: Composed) -> None:
        self.whole = whole

    @property
    def bounds(self) -> Any:
        """The bounds of the fetching brokers."""
        return bounds_of_fetchers(cast(ComposedBounds, self.whole.bounds))

    @property
    def logs(self) -> Any:
        """The logs by broker and partition, as they are asked for."""
        return _Table(self._log)

    @property
    def locations(self) -> Any:
        """The directories of those logs, by broker and partition."""
        return _Table(lambda *index: place_of_log(self.whole, *index))

    def _log(self, broker: BrokerId, partition: PartitionId) -> Any:
        place = place_of_log(self.whole, broker, partition)
        return self.whole.logs[broker][partition][place]

    @property
    def next_records(self) -> Any:
        """The next record, which is the same for each partition."""
        return (self.whole.next_record,) * len(self.bounds.partition_ids)

    def __getattr__(self, name: str) -> Any:
        """A cell of the whole state, or a method of the fetching brokers."""
        member = inspect.getattr_static(of_fetching.Brokers, name, None)
        if inspect.isfunction(member):
            return MethodType(member, self)
        known = NAMES.get(name, name)
        if hasattr(Composed, known):
            return getattr(self.whole, known)
        return getattr(initial_brokers(self.bounds), name)

    def evolve(self, **cells: Any) -> FetcherView:
        """The view with other values in the named cells."""
        changes: dict[str, Any] = {}
        for name, new in cells.items():
            known = NAMES.get(name, name)
            if name == "logs":
                changes["logs"] = {
                    (*index, place_of_log(self.whole, *index)): log
                    for index, log in new.items()
                }
            elif name == "next_records":
                (changes["next_record"],) = new.values()
            elif hasattr(Composed, known):
                changes[known] = new
            else:
                unchanged = initial_brokers(self.bounds).evolve(**{name: new})
                assert unchanged == initial_brokers(self.bounds), (
                    f"`{name}` is left out"
                )
        return FetcherView(self.whole.evolve(**changes))


class _Table:
    """A family by two indices, whose elements are computed when they are asked for."""

    def __init__(self, element: Callable[..., Any], *index: Any) -> None:
        self.element, self.index = element, index

    def __getitem__(self, number: Any) -> Any:
        if self.index:
            return self.element(*self.index, number)
        return _Table(self.element, number)


def place_of_log(
    whole: Composed, broker: BrokerId, partition: PartitionId
) -> DirectoryId:
    """The directory of a replica's log.

    Of a replica that has none in use it is where a log is stored, or the first.
    """
    used = whole.replicas[broker][partition].directory
    if used is not None:
        return used
    for directory in whole.bounds.directory_ids:
        if whole.logs[broker][partition][directory].exists:
            return directory
    return whole.bounds.directory_ids[0]


@cache
def initial_brokers(bounds: Any) -> of_fetching.Brokers:
    """The state in which the fetching brokers begin."""
    return with_leader(bounds)


def seen_by_fetchers(whole: Composed) -> of_fetching.Brokers:
    """The state as the functions of `model.fetching` know it."""
    return cast(of_fetching.Brokers, FetcherView(whole))


def whole_of(view: of_fetching.Brokers) -> Composed:
    """The state of which one is the view."""
    return cast(FetcherView, view).whole
