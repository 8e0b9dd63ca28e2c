"""Small systems in which the order of steps matters for one reason each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen

from random_models.cells import ROOM, Box, Queue
from random_models.random_processes import Line
from replicheck.explorer.properties import Property, always
from replicheck.model.state_base import Cells
from toys import Toy


@frozen
class Race(Cells):
    """How far three processes are, and what they share."""

    at: tuple[int, int, int] = (0, 0, 0)
    box: Box = field(factory=Box)
    queue: Queue = field(factory=Line)


Step = Callable[[Race], Iterator[Race]]


def go(
    process: int,
    here: int = 0,
    to: int = 1,
    if_so: Callable[[Race], bool] = lambda state: True,
    **writes: Callable[[Any], Any],
) -> Step:
    """A step of a process from one number to the next, with writes of shared cells."""

    def step(state: Race) -> Iterator[Race]:
        if state.at[process] == here and if_so(state):
            changed = {
                name: change(getattr(state, name)) for name, change in writes.items()
            }
            yield state.evolve(at={process: to}, **changed)

    step.__name__ = f"go_{process}_{here}"
    return step


def never(name: str, test: Callable[[Race], bool]) -> Property:
    """The claim, which is false, that in no state something is so."""

    def predicate(state: Race) -> bool:
        return not test(state)

    predicate.__name__ = name
    return always(predicate)


def is_down(state: Race) -> bool:
    """Tell whether the flag of the box is not up."""
    return not state.box.flag


def flip(box: Box) -> Box:
    """Turn the flag of the box."""
    return box.flip()


RACES: dict[str, tuple[Toy, list[Property]]] = {
    "two writers": (
        Toy(
            (go(0, box=lambda box: box.put(2)), go(1, box=lambda box: box.add(1))),
            (Race(),),
        ),
        [
            never("ends_at_0", lambda s: s.at[:2] == (1, 1) and s.box.number == 0),
            never("ends_at_2", lambda s: s.at[:2] == (1, 1) and s.box.number == 2),
        ],
    ),
    "one disables": (
        Toy((go(0, box=flip), go(1, if_so=is_down)), (Race(),)),
        [never("goes", lambda s: s.at[1] == 1)],
    ),
    "one is seen": (
        Toy((go(0), go(1)), (Race(),)),
        [never("is_behind", lambda s: s.at[0] == 0 and s.at[1] == 1)],
    ),
    "one disables later": (
        Toy((go(0, box=flip), go(1), go(1, 1, 2, if_so=is_down)), (Race(),)),
        [never("goes_on", lambda s: s.at[1] == 2)],
    ),
    "one goes round": (
        Toy((go(0), go(0, 1, 0), go(1)), (Race(),)),
        [never("goes", lambda s: s.at[1] == 1)],
    ),
    "a queue is filled": (
        Toy(
            (
                go(2, box=flip),
                go(0, queue=lambda queue: queue.append(1)),
                go(
                    1,
                    if_so=lambda s: s.queue.head == 1 and is_down(s),
                    queue=lambda queue: queue.pop(),
                ),
            ),
            (Race(),),
        ),
        [never("takes", lambda s: s.at[1] == 1)],
    ),
    "a queue is full": (
        Toy(
            (
                go(0, queue=lambda queue: queue.append(1)),
                go(
                    1,
                    if_so=lambda s: s.queue.head == 0,
                    queue=lambda queue: queue.pop(),
                ),
            ),
            (Race(queue=Queue((0,) + (1,) * (ROOM - 1))),),
        ),
        [
            never("keeps_both", lambda s: s.at[1] == 1 and len(s.queue) == ROOM),
            never("loses_one", lambda s: s.at[:2] == (1, 1) and len(s.queue) < ROOM),
        ],
    ),
}
"""Systems with violations that take certain orders; every property is violated."""
