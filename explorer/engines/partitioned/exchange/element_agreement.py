"""Element agreement: new elements of split sets get the same places in all processes.

Processes give new elements places by themselves. Where those of one are not the agreed
ones, what it wrote has other columns than all else, so its task is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import evolve

from replicheck.explorer.engines.partitioned.exchange.element_numbering import (
    NewElements,
    agreed,
    begins_with,
)
from replicheck.explorer.engines.partitioned.exchange.known_file import KnownFile
from replicheck.explorer.engines.partitioned.exchange.messages import Expand, Expanded
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    ValueNumbering,
)
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    Store,
    folder_of,
)

Run = Callable[[Sequence[Expand]], Sequence[Expanded]]
BEFORE = -1
"""The level of elements that are shown before anything is learned on the first one."""


class ElementAgreement:
    """Sees to it that elements have the same places in all that is found of a level."""

    def __init__(self, store: Store, numbering: ValueNumbering) -> None:
        self._store, self._numbering = store, numbering
        self.files: list[Piece] = []
        """What was agreed on while the level at work was expanded."""

    def begin(self, elements: NewElements) -> None:
        """Agree on elements that the driver knows before the first level.

        Raises:
            OSError: if the store cannot be written.
            ModelError: if an element is of a class that no other process could find.
        """
        if any(elements):
            self._write(BEFORE, elements)

    def expanded(self, tasks: Sequence[Expand], run: Run) -> list[Expanded]:
        """The result of each task, with elements in the agreed places.

        Args:
            run: does some tasks, in this order.

        Raises:
            OSError: if the store cannot be written.
            ModelError: if an element is of a class that no other process could find.
        """
        self.files = []
        results = list(run(tasks))
        waiting = list(range(len(tasks)))
        while any(any(results[number].update.elements) for number in waiting):
            found = {number: results[number].update.elements for number in waiting}
            elements = agreed(list(found.values()))
            self._write(tasks[0].level + 1, elements)
            waiting = [n for n in found if not begins_with(elements, found[n])]
            again = [self._knowing(tasks[number]) for number in waiting]
            for number, result in zip(waiting, run(again), strict=True):
                results[number] = result
        return results

    def _knowing(self, task: Expand) -> Expand:
        """A task with what was agreed on since."""
        return evolve(task, known=[*task.known, *self.files])

    def _write(self, level: int, elements: NewElements) -> None:
        """Write down elements that states of a level may have, and none before."""
        nothing = self._numbering.in_order([])
        piece_file = PieceFile(folder_of(max(level, 0)), "elements")
        known = KnownFile(nothing, [], [], level, elements)
        self.files.append(piece_file.add([known.content]))
        self._store.write(piece_file.name, piece_file.content)
