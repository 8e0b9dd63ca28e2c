"""The state of the whole cluster as the functions of `model.fetching` know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from replicheck.model.composed.bounds import ComposedBounds, bounds_of_fetchers
from replicheck.model.composed.state import Composed
from replicheck.model.fetching import state as of_fetching
from replicheck.model.fetching.view import BrokersView, Table
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


class FetcherView(BrokersView):
    """Has the cells and methods of the fetching brokers, and one log for each replica.

    A cell that the whole state does not have is as in the beginning, and stays so.
    """

    whole: Composed
    whole_class = Composed
    names: ClassVar[Mapping[str, str]] = {
        "threads": "fetcher_threads",
        "faults": "fetcher_faults",
        "handlers": "request_handlers",
    }

    @property
    def bounds(self) -> Any:
        """The bounds of the fetching brokers."""
        return bounds_of_fetchers(cast(ComposedBounds, self.whole.bounds))

    @property
    def logs(self) -> Any:
        """The logs by broker and partition, as they are asked for."""
        return Table(self._log)

    @property
    def locations(self) -> Any:
        """The directories of those logs, by broker and partition."""
        return Table(lambda *index: place_of_log(self.whole, *index))

    def _log(self, broker: BrokerId, partition: PartitionId) -> Any:
        place = place_of_log(self.whole, broker, partition)
        return self.whole.logs[broker][partition][place]

    @property
    def next_records(self) -> Any:
        """The next record, which is the same for each partition."""
        return (self.whole.next_record,) * len(self.bounds.partition_ids)

    def changes_of(self, name: str, new: Any) -> dict[str, Any]:
        """The cells of the whole state that change with a cell, and their values."""
        if name == "next_records":
            (record,) = new.values()
            return {"next_record": record}
        if name != "logs":
            return super().changes_of(name, new)
        placed = {
            (*index, place_of_log(self.whole, *index)): log
            for index, log in new.items()
        }
        return {"logs": placed}


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


def seen_by_fetchers(whole: Composed) -> of_fetching.Brokers:
    """The state as the functions of `model.fetching` know it."""
    return cast(of_fetching.Brokers, FetcherView(whole))


def whole_of(view: of_fetching.Brokers) -> Composed:
    """The state of which one is the view."""
    return cast(FetcherView, view).whole
