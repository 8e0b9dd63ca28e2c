"""Random processes that are alike, and send each other messages, all in one set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from replicheck.explorer.properties import Property, always, sometimes
from replicheck.model.modelling.symmetry import IdRenamings
from replicheck.model.modelling.values import Id, State, Value
from toys import Toy

PLACES = 3
KINDS = 2


class Process(Id):
    """One of those that are alike."""


class Letter(Value):
    """A message."""

    source: Process
    target: Process
    kind: int


Letters = frozenset[Letter]
Ask = Callable[[Letters, Process, Process, int], bool]


class Desk(State):
    """Where processes are, what was sent, and what each has read."""

    places: tuple[int, ...]
    letters: Letters
    read: tuple[Letters, ...]


def wrote(letters: Letters, process: Process, other: Process, kind: int) -> bool:
    """Tell whether the other one has sent a letter of a kind to a process."""
    return Letter(other, process, kind) in letters


def has_any(letters: Letters, process: Process, other: Process, kind: int) -> bool:
    """Tell whether anybody has sent one to a process."""
    return any(each.target == process and each.kind == kind for each in letters)


def are_two(letters: Letters, process: Process, other: Process, kind: int) -> bool:
    """Tell whether two of a kind are there."""
    return len([each for each in letters if each.kind == kind]) == 2


def has_none(letters: Letters, process: Process, other: Process, kind: int) -> bool:
    """Tell whether a process has sent nothing."""
    return not any(each.source == process for each in letters)


def is_so(letters: Letters, process: Process, other: Process, kind: int) -> bool:
    """Ask nothing."""
    return True


ASKS: tuple[Ask, ...] = (wrote, has_any, are_two, has_none, is_so)


@frozen
class Rule:
    """What a process asks of the letters, or of what it has read, and what it does."""

    at: int
    to: int
    ask: Ask
    kind: int
    of_read: bool
    sends: tuple[bool, int] | None
    reads: bool

    def after(self, desk: Desk, process: Process, other: Process) -> Iterator[Desk]:
        """Yield the state after the rule, if it applies."""
        if desk.places[process] != self.at:
            return
        asked = desk.read[process] if self.of_read else desk.letters
        if not self.ask(asked, process, other, self.kind):
            return
        letters, read = desk.letters, desk.read[process]
        if self.sends is not None:
            to_itself, kind = self.sends
            target = process if to_itself else other
            letters = letters | {Letter(process, target, kind)}
        if self.reads:
            for letter in sorted(desk.letters, key=repr):
                if letter.target == process and letter.kind == self.kind:
                    read = read | {letter}
        yield desk.evolve(
            places={process: self.to}, letters=letters, read={process: read}
        )


@frozen
class DeskSystem:
    """The rules of all processes, and what is claimed of any two."""

    rules: tuple[Rule, ...]
    claim: tuple[int, int, Ask, int]
    count: int

    @property
    def checked(self) -> tuple[Toy, list[Property]]:
        """The model with its renamings, and its properties."""
        domains: dict[object, tuple[object, ...]] = {
            Process: tuple(map(Process, range(self.count)))
        }
        actions = tuple(map(_action, range(len(self.rules)), self.rules))
        nothing = Letters()
        starts = Desk((0,) * self.count, nothing, (nothing,) * self.count)
        renamings = IdRenamings({Process: ("places", "read")}, domains)
        model = Toy(actions, (starts,), (), domains, symmetries=tuple(renamings))
        return model, self._properties

    @property
    def _properties(self) -> list[Property]:
        place, other_place, ask, kind = self.claim

        def is_not_met(desk: Desk, process: Process, other: Process) -> bool:
            places = desk.places[process], desk.places[other]
            return process == other or places != (place, other_place)

        def is_heard(desk: Desk, process: Process, other: Process) -> bool:
            return desk.places[process] == place and ask(
                desk.letters, process, other, kind
            )

        return [always(is_not_met), sometimes(is_heard)]


def _action(number: int, rule: Rule) -> Callable[..., Any]:
    def act(desk: Desk, process: Process, other: Process) -> Iterator[Desk]:
        yield from rule.after(desk, process, other)

    act.__name__ = f"act_{number}"
    return act


PLACE = st.integers(0, PLACES - 1)
KIND = st.integers(0, KINDS - 1)
ASK = st.sampled_from(ASKS)
SENT = st.none() | st.tuples(st.booleans(), KIND) | st.tuples(st.booleans(), KIND)
RULE = st.builds(Rule, PLACE, PLACE, ASK, KIND, st.booleans(), SENT, st.booleans())
FIRST_RULE = st.builds(
    Rule,
    st.just(0),
    PLACE,
    st.just(has_none),
    KIND,
    st.just(False),
    st.tuples(st.booleans(), KIND),
    st.booleans(),
)
DESK_SYSTEMS = st.builds(
    DeskSystem,
    st.tuples(FIRST_RULE, RULE, RULE) | st.tuples(FIRST_RULE, RULE, RULE, RULE),
    st.tuples(PLACE, PLACE, ASK, KIND),
    st.integers(2, 3),
)
