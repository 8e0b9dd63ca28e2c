"""Recent states: those that a worker wrote already and need not write again."""

from __future__ import annotations

from replicheck.explorer.frontier.visited_set import VisitedSet

MOST_BYTES = 1 << 27
"""A process that remembers more begins anew."""

Moment = tuple[int, int]
"""A level, and the place in it of the first state of a task."""


class RecentStates:
    """What the tasks of one process have written.

    What a task finds that an earlier one of this process has written need not be
    written again. If that was on an earlier level, all know it by now: each attempt at
    a task reaches the same states. If it was on the same level for states before those
    of this task, it had a lesser predecessor there. A task that is not later than the
    one before, such as one that is repeated, can rely on neither: it begins anew. So
    does each task of a reduced pass, of which two processes may leave out different
    steps.
    """

    def __init__(self, words: int = 0) -> None:
        """Begin with nothing; see `VisitedSet`."""
        self._words = words
        self._visited = VisitedSet(words)
        self._last: Moment = (-1, 0)

    def lend(self, moment: Moment) -> VisitedSet:
        """Lend the states that a task may rely on; none are kept until it is done."""
        lent = self._visited if moment > self._last else VisitedSet(self._words)
        self._visited, self._last = VisitedSet(self._words), max(moment, self._last)
        return lent

    def keep(self, lent: VisitedSet) -> None:
        """Remember what was lent, with all that the task has added and written."""
        if lent.size <= MOST_BYTES:
            self._visited = lent
