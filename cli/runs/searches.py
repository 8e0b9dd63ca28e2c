"""Searches of several tasks: once for those that share their states, if not cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from replicheck.cli.results.result import Result, empty_report
from replicheck.cli.runs.result_cache import Cache
from replicheck.cli.runs.sharing import part_of, share_states, together
from replicheck.cli.tasks.engines import start
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Watch, unwatched
from replicheck.explorer.errors import ModelError
from replicheck.explorer.keep import Keep
from replicheck.explorer.report import Verdict


def keeping_nothing(number: int, task: Task) -> None:
    """Keep no checkpoint."""


class Searches:
    """The searches of several tasks, each done when its result is asked for.

    ``keep`` says where the checkpoint of a search is that begins with a task.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        cache: Cache,
        watch: Watch = unwatched,
        keep: Callable[[int, Task], Keep | None] = keeping_nothing,
        known: Mapping[int, Result] | None = None,
    ) -> None:
        self.tasks, self.cache, self.watch, self.keep = tasks, cache, watch, keep
        self.found = dict(known or {})
        """The results so far, by the number of the task."""
        self._keeps: dict[int, Keep] = {}

    def result(self, number: int) -> Result:
        """Return the result of a task.

        Raises:
            CheckpointError: if the checkpoint of its search cannot be used.
        """
        if number not in self.found:
            cached = self.cache.find(self.tasks[number])
            if cached is not None:
                self.found[number] = Result(self.tasks[number], cached)
        if number not in self.found:
            self._search(number, self._sharing(number))
        if number not in self.found:
            self._search(number, [number])
        return self.found[number]

    def may_go_on(self, number: int) -> bool:
        """Tell whether the search that gave a result left a checkpoint."""
        return number in self._keeps and self._keeps[number].is_there

    def _sharing(self, number: int) -> list[int]:
        """Return the tasks without a result that visit the same states."""
        return [
            other
            for other in range(number, len(self.tasks))
            if other not in self.found
            and share_states(self.tasks[number], self.tasks[other])
            and (other == number or self.cache.find(self.tasks[other]) is None)
        ]

    def _search(self, number: int, members: Sequence[int]) -> None:
        """Search once for several tasks; keep the results that are their own."""
        common = together([self.tasks[each] for each in members])
        keep = self.keep(number, common)
        searched = self._explore(common, keep)
        for each in members:
            own = _own(searched, self.tasks[each], len(members))
            if own is None:
                continue
            self.found[each] = own
            self.cache.keep(own.task, own.report)
            if keep is not None:
                self._keeps[each] = keep

    def _explore(self, task: Task, keep: Keep | None) -> Result:
        search = task.search(self.watch)
        explore = start(task.engine, task.settings, keep)
        try:
            return Result(task, explore(task.model, task.properties, search))
        except ModelError as error:
            return Result(task, empty_report(task, Verdict.ERROR), problem=str(error))


def _own(searched: Result, task: Task, together: int) -> Result | None:
    """Return the part of a task in the result of a search for several."""
    if together == 1:
        return evolve(searched, task=task)
    report = part_of(searched.report, task)
    return None if report is None else Result(task, report, together=together)
