"""Letters to desks: some are opened before anything else, and some must wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NewType

from attrs import frozen

from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.instances import Instance
from replicheck.model.state_base import Cells
from toys import Toy

Desk = NewType("Desk", int)
KNOWN = HiddenSteps(
    at_once=frozenset({"open_letter"}), own=frozenset({"letters", "opened"})
)


@frozen
class Office(Cells):
    """Letters of two desks, what each has open, and how many were answered."""

    letters: tuple[str, ...] = ("", "")
    opened: tuple[str, ...] = ("", "")
    answered: int = 0
    left: int = 3


def deliver_plain(office: Office, desk: Desk) -> Iterator[Office]:
    """A letter comes; nothing shows it."""
    if office.left:
        letters = f"{office.letters[desk]}p"
        yield office.evolve(letters={desk: letters}, left=office.left - 1)


def deliver_dated(office: Office, desk: Desk) -> Iterator[Office]:
    """A letter comes that is dated when it is opened; nothing shows it."""
    if office.left:
        letters = f"{office.letters[desk]}d"
        yield office.evolve(letters={desk: letters}, left=office.left - 1)


def open_letter(office: Office, desk: Desk) -> Iterator[Office]:
    """The first letter is opened, perhaps with a date; nothing shows it."""
    letters = office.letters[desk]
    if letters and not office.opened[desk]:
        date = str(office.answered) if letters[0] == "d" else "none"
        yield office.evolve(letters={desk: letters[1:]}, opened={desk: date})


def answer(office: Office, desk: Desk) -> Iterator[Office]:
    """An opened letter is answered, which its desk shows with the date."""
    if office.opened[desk]:
        yield office.evolve(opened={desk: ""}, answered=office.answered + 1)


MODEL = Toy(
    (deliver_plain, deliver_dated, open_letter, answer),
    (Office(),),
    domains={Desk: (Desk(0), Desk(1))},
)


def projection(action: Instance, before: Office, after: Office) -> list[Event]:
    """Each desk has a stream of its answers, with the letter's date, -1 for none."""
    if action.name != "answer":
        return []
    desk = int(str(action.values[0]))
    date = before.opened[desk]
    return [(f"desk {desk}", {"date": -1 if date == "none" else int(date)})]
