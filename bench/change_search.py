"""One search for all changes of a file: which of them a run explains.

It searches `ObservedRuns` level by level, so at the speed of the engine that searches
any model. Left out are states of which no change can come, those that owe what is not
shown any more, and steps beside those that go before all others; see `HiddenSteps` and
`NeedlessSteps` for what that asks of a model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from changed_observations import Change
from changed_streams import ChangedStreams
from observed_readings import Readings, Rows, by_number
from observed_runs import MADE, PLACES, InPlace, ObservedRuns, nothing_in_place
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    Label,
    Streams,
)
from replicheck.explorer.engines.trace_validation.rest import Rest
from replicheck.explorer.engines.trace_validation.step_events import (
    Owed,
    Projection,
)
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.runtime.thread_pool import ThreadPool
from rows_at_rest import RowsAtRest
from steps_at_once import StepsAtOnce

NO_STREAM = -1
Marks = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


@frozen
class Shown:
    """A model with what its steps show, and what is known of its hidden steps.

    A run must end at rest, if it is known what that is.
    """

    model: Model[Any]
    projection: Projection
    owed: Owed
    hidden: HiddenSteps
    in_place: InPlace = nothing_in_place
    rest: Rest | None = None


@frozen
class ChangesFound:
    """Numbers of changes: ``ended`` have a run to the end, ``cut`` may have one.

    A run to the end is an explanation, unless the change lets something be next that
    ended earlier than what was observed. Each other change has no explanation.
    ``is_explained`` is told where no change is asked. ``is_whole`` says whether no
    limit cut the search.
    """

    ended: frozenset[int]
    cut: frozenset[int]
    is_explained: bool
    is_whole: bool
    states: int


@define(eq=False)
class ChangeSearch:
    """Searches for some of the changes of streams, which learn from one another."""

    shown: Shown
    streams: Streams
    changes: Sequence[Change] = ()
    _changed: ChangedStreams = field(init=False)
    _learner: Learner = field(init=False)
    _owed: Readings[Sequence[Event]] = field(init=False)
    _are_at_rest: RowsAtRest = field(init=False)
    _at_once: StepsAtOnce = field(init=False)
    _asked: frozenset[int] = field(init=False, default=frozenset())
    """The changes that the search at work is for."""
    _over: set[int] = field(init=False, factory=set)
    """The changes with which a run ended; -1 is none."""
    _given_up: set[int] = field(init=False, factory=set)
    _counts: Places = field(init=False)
    """Of each change the number of states in which it was made."""
    _numbers: dict[int, Places] = field(init=False, factory=dict)
    """What is known of `_numbers_of`."""
    _places_to_show: dict[int, dict[str, Marks]] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        shown = self.shown
        self._changed = ChangedStreams(self.streams, self.changes)
        runs = ObservedRuns(
            shown.model, shown.projection, self._changed, shown.in_place
        )
        self._learner = Learner(runs, ())
        self._owed = Readings(self._learner, shown.owed)
        self._are_at_rest = RowsAtRest(self._learner, shown.model, shown.rest)
        self._at_once = StepsAtOnce(self._learner, shown.model, shown.hidden)

    def found(
        self, asked: Collection[int], most_states: int, most_of_a_change: int
    ) -> ChangesFound:
        """Visit states level by level, at most so many; what is left is cut.

        A change is given up with the level that has more than ``most_of_a_change``
        states in which it was made; those in which none was made go on.

        Args:
            asked: numbers of the changes; the others are left out.
        """
        self._asked, self._over, self._given_up = frozenset(asked), set(), set()
        self._counts = np.zeros(len(self.changes), np.int64)
        search = self._level_search()
        states = 0
        try:
            search.begin()
            while len(rows := self._kept(search)) and self._goes_on(
                states, most_states
            ):
                states += len(rows)
                self._count(self._made(rows), most_of_a_change)
                self._over |= self._ended(rows)
                search.advance(search.expand(None))
            cut = self._possible(rows)
        finally:
            search.close()
        ended = self._asked & self._over
        return ChangesFound(
            ended,
            frozenset((cut | self._given_up) - ended),
            is_explained=-1 in self._over,
            is_whole=not search.size and not self._given_up,
            states=states,
        )

    def _goes_on(self, states: int, most_states: int) -> bool:
        """Tell whether the limit leaves states, and something is not known yet."""
        is_answered = not self._asked and bool(self._over)
        return states < most_states and not is_answered

    def _count(self, made: Places, most_of_a_change: int) -> None:
        """Count the states in which each change was made, and give up the frequent."""
        numbers, counts = np.unique(made[made >= 0], return_counts=True)
        np.add.at(self._counts, numbers, counts)
        frequent = np.flatnonzero(self._counts > most_of_a_change)
        self._given_up = set(frequent.tolist())

    def _level_search(self) -> LevelSearch[Any]:
        return LevelSearch(
            self._learner.model,
            [],
            Search(),
            ThreadPool(1),
            self._learner,
            KeyPrecision.BITS_64,
            None,
            selector=self._at_once,
        )

    def _kept(self, search: LevelSearch[Any]) -> Rows:
        """Keep of a level what may lead on; these rows."""
        level = search.storage.level
        rows: Rows = RowView(level.rows)[:]
        kept = self._may_lead_on(rows)
        if not kept.all():
            search.storage.level = level._replace(
                rows=level.rows._replace(words=level.rows.words[kept]),
                fingerprints=level.fingerprints[kept],
                disabled=np.ascontiguousarray(level.disabled[kept]),
                constrained=level.constrained[kept],
            )
        return rows[kept]

    def _may_lead_on(self, rows: Rows) -> Marks:
        """Mark states with a change to come, that owe nothing that cannot be shown.

        Of changes that are not asked, ended or were given up no more is looked for.
        """
        behind, owed = self._behind(rows), self._owed.of(rows)
        kept = np.ones(len(rows), np.bool_)
        if self._asked:
            to_come = (behind <= self._last_changed()).any(axis=1)
            made = self._made(rows)
            left = sorted(self._asked - self._over - self._given_up)
            kept = np.where(made < 0, to_come, np.isin(made, left))
        places, is_free = self._places(rows), self._made(rows) < 0
        for number, mine in by_number(owed):
            if not self._owes(number):
                continue
            for name, can_show in self._shown_from(number).items():
                stream = self._changed.index.get(name, NO_STREAM)
                at = 0 if stream == NO_STREAM else places[mine, stream]
                kept[mine] &= can_show[is_free[mine].astype(int), at]
        return kept

    def _owes(self, number: int) -> bool:
        return bool(self._owed.answers[number])

    def _shown_from(self, number: int) -> dict[str, Marks]:
        """By stream the places from which it can show what a state owes.

        Those of the first row if a change was made before, else those of the second. Of
        a stream that there is not, there is one place.
        """
        found = self._places_to_show.get(number)
        if found is None:
            labels: dict[str, list[Label]] = {}
            for name, label in self._owed.answers[number]:
                labels.setdefault(name, []).append(label)
            found = {name: np.zeros((2, 1), np.bool_) for name in labels}
            for name in labels.keys() & self._changed.index.keys():
                changed = self._changed.by_stream[self._changed.index[name]]
                shown = [changed.can_show(labels[name], free) for free in (False, True)]
                found[name] = np.array(shown)
            self._places_to_show[number] = found
        return found

    def _ended(self, rows: Rows) -> set[int]:
        """Changes with which a state is at the end of all streams; -1 is none."""
        places, made = self._places(rows), self._made(rows)
        left = places != [stream.end for stream in self._changed.by_stream]
        count = left.sum(axis=1)
        near = np.flatnonzero((count == 0) | ((made < 0) & (count == 1)))
        near = near[self._are_at_rest.among(rows[near])]
        made, places, left, count = made[near], places[near], left[near], count[near]
        found = set(made[count == 0].tolist())
        one_left = (made < 0) & (count == 1)
        if not one_left.any():
            return found
        streams = left[one_left].argmax(axis=1)
        at = places[one_left][np.arange(len(streams)), streams]
        for stream, place in set(zip(streams.tolist(), at.tolist(), strict=True)):
            found |= self._changed.by_stream[stream].drops_of_last(place)
        return found

    def _possible(self, rows: Rows) -> set[int]:
        """Changes that were made in a state, or can be made from it on."""
        made, behind = self._made(rows), self._behind(rows)
        free = behind[made < 0]
        possible = set(made[made >= 0].tolist())
        if len(free):
            least = free.min(axis=0)
            possible |= {
                number
                for number in self._asked
                if self.changes[number].position
                >= least[self._changed.stream_of[number]]
            }
        return possible

    def _places(self, rows: Rows) -> Places:
        """Number of the place in each stream, for each row."""
        places = np.empty((len(rows), len(self._place_columns)), np.int64)
        for stream, column in enumerate(self._place_columns):
            places[:, stream] = self._numbers_of(column)[rows[:, column]]
        return places

    def _behind(self, rows: Rows) -> Places:
        """How many observations of each stream are behind, for each row."""
        places = self._places(rows)
        for stream, changed in enumerate(self._changed.by_stream):
            places[:, stream] = np.array(changed.behind)[places[:, stream]]
        return places

    def _made(self, rows: Rows) -> Places:
        """The change that was made, -1 for none, for each row."""
        (column,) = self._columns(MADE)
        return self._numbers_of(column)[rows[:, column]]

    def _numbers_of(self, column: int) -> Places:
        """The number of each value that a column has had."""
        values = self._learner.dictionaries[column].values
        if len(self._numbers.get(column, ())) < len(values):
            numbers = [value.number for value in values]
            self._numbers[column] = np.array(numbers, np.int64)
        return self._numbers[column]

    def _last_changed(self) -> Places:
        """For each stream the most that can be behind a change of it that is asked."""
        found = np.full(len(self.streams.names), -1)
        for number in self._asked:
            stream = self._changed.stream_of[number]
            found[stream] = max(found[stream], self.changes[number].position)
        return found

    @cached_property
    def _place_columns(self) -> list[int]:
        return self._columns(PLACES)

    def _columns(self, name: str) -> list[int]:
        cells = enumerate(self._learner.layout.cells)
        return [column for column, cell in cells if cell.field == name]
