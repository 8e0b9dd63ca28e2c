"""Random clerks that are alike, and send each other messages, all in one set."""

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


class Clerk(Id):
    """One of those that are alike."""


class Slip(Value):
    """A message."""

    source: Clerk
    target: Clerk
    kind: int


Slips = frozenset[Slip]
Ask = Callable[[Slips, Clerk, Clerk, int], bool]


class Clerks(State):
    """Where clerks are, what was sent, and what each has read."""

    places: tuple[int, ...]
    slips: Slips
    read: tuple[Slips, ...]


def wrote(slips: Slips, clerk: Clerk, peer: Clerk, kind: int) -> bool:
    """Tell whether a peer has sent a slip of a kind to a clerk."""
    return Slip(peer, clerk, kind) in slips


def is_any_there(slips: Slips, clerk: Clerk, peer: Clerk, kind: int) -> bool:
    """Tell whether a slip of a kind was sent to a clerk."""
    return any(slip.target == clerk and slip.kind == kind for slip in slips)


def are_two(slips: Slips, clerk: Clerk, peer: Clerk, kind: int) -> bool:
    """Tell whether two of a kind are there."""
    return len([slip for slip in slips if slip.kind == kind]) == 2


def has_none(slips: Slips, clerk: Clerk, peer: Clerk, kind: int) -> bool:
    """Tell whether a clerk has sent nothing."""
    return not any(slip.source == clerk for slip in slips)


def is_so(slips: Slips, clerk: Clerk, peer: Clerk, kind: int) -> bool:
    """Ask nothing."""
    return True


ASKS: tuple[Ask, ...] = (wrote, is_any_there, are_two, has_none, is_so)


@frozen
class ClerkRule:
    """What a clerk asks of the slips, or of what it has read, and what it does."""

    at: int
    to: int
    ask: Ask
    kind: int
    of_read: bool
    sends: tuple[bool, int] | None
    reads: bool

    def after(self, clerks: Clerks, clerk: Clerk, peer: Clerk) -> Iterator[Clerks]:
        """Yield the state after the rule, if it applies."""
        if clerks.places[clerk] != self.at:
            return
        asked = clerks.read[clerk] if self.of_read else clerks.slips
        if not self.ask(asked, clerk, peer, self.kind):
            return
        slips, read = clerks.slips, clerks.read[clerk]
        if self.sends is not None:
            to_itself, kind = self.sends
            target = clerk if to_itself else peer
            slips = slips | {Slip(clerk, target, kind)}
        if self.reads:
            for slip in sorted(clerks.slips, key=repr):
                if slip.target == clerk and slip.kind == self.kind:
                    read = read | {slip}
        yield clerks.evolve(places={clerk: self.to}, slips=slips, read={clerk: read})


@frozen
class ClerkSystem:
    """The rules of all clerks, and what is claimed of any two."""

    rules: tuple[ClerkRule, ...]
    claim: tuple[int, int, Ask, int]
    count: int

    @property
    def checked(self) -> tuple[Toy, list[Property]]:
        """The model with its renamings, and its properties."""
        domains: dict[object, tuple[object, ...]] = {
            Clerk: tuple(map(Clerk, range(self.count)))
        }
        actions = tuple(map(_action, range(len(self.rules)), self.rules))
        nothing = Slips()
        starts = Clerks((0,) * self.count, nothing, (nothing,) * self.count)
        renamings = IdRenamings({Clerk: ("places", "read")}, domains)
        model = Toy(actions, (starts,), (), domains, symmetries=tuple(renamings))
        return model, self._properties

    @property
    def _properties(self) -> list[Property]:
        place, second_place, ask, kind = self.claim

        def is_not_met(clerks: Clerks, clerk: Clerk, peer: Clerk) -> bool:
            places = clerks.places[clerk], clerks.places[peer]
            return clerk == peer or places != (place, second_place)

        def is_heard(clerks: Clerks, clerk: Clerk, peer: Clerk) -> bool:
            return clerks.places[clerk] == place and ask(
                clerks.slips, clerk, peer, kind
            )

        return [always(is_not_met), sometimes(is_heard)]


def _action(number: int, rule: ClerkRule) -> Callable[..., Any]:
    def act(clerks: Clerks, clerk: Clerk, peer: Clerk) -> Iterator[Clerks]:
        yield from rule.after(clerks, clerk, peer)

    act.__name__ = f"act_{number}"
    return act


PLACE = st.integers(0, PLACES - 1)
KIND = st.integers(0, KINDS - 1)
ASK = st.sampled_from(ASKS)
SENT = st.none() | st.tuples(st.booleans(), KIND) | st.tuples(st.booleans(), KIND)
RULE = st.builds(ClerkRule, PLACE, PLACE, ASK, KIND, st.booleans(), SENT, st.booleans())
FIRST_RULE = st.builds(
    ClerkRule,
    st.just(0),
    PLACE,
    st.just(has_none),
    KIND,
    st.just(False),
    st.tuples(st.booleans(), KIND),
    st.booleans(),
)
CLERK_SYSTEMS = st.builds(
    ClerkSystem,
    st.tuples(FIRST_RULE, RULE, RULE) | st.tuples(FIRST_RULE, RULE, RULE, RULE),
    st.tuples(PLACE, PLACE, ASK, KIND),
    st.integers(2, 3),
)
