"""Random systems whose functions are texts: loops over sets of messages."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, ClassVar

from attrs import frozen
from hypothesis import strategies as st

from random_sets.claim_blocks import CLAIM_BLOCKS, LATE_BLOCKS
from random_sets.each_blocks import EACH_BLOCKS, SORTED_PLACES
from random_sets.loop_blocks import BLOCKS
from random_sets.loop_tests import (
    CELLS,
    COUNTS,
    EVERY_TEST,
    NUMBER,
    PLACES,
    TESTS,
    TRUTHS_OF,
)
from random_sets.message_systems import Demand, Response
from replicheck.explorer.properties import Property, always
from replicheck.model.modelling.containers import Bag, Set
from replicheck.model.state_base import Cells
from toys import Toy

Message = Demand | Response
NUMBERS = count()
"""Of the texts, each of which is a file to Python."""


class Letterbox(Set[Message]):
    """A set with a question of its own, asked message by message."""

    BY_ITEM: ClassVar[frozenset[str]] = Set.BY_ITEM | {"demands"}

    def demands(self, numbers: Sequence[int]) -> frozenset[Demand]:
        """Demands of some numbers; several messages give the same."""
        return frozenset(Demand(m.number) for m in self.items if m.number in numbers)


NO_BOX, NO_BAG = Letterbox(), Bag[Message]()
BOX = Letterbox(frozenset({Demand(2), Response(0)}))
BAG = NO_BAG.add(Demand(1)).add(Response(1)).add(Demand(1))


def is_even(message: Message) -> bool:
    """A test in a function of its own."""
    return message.number % 2 == 0


@frozen
class Mailroom(Cells):
    """Messages in two sets, a box and a bag, and some numbers."""

    sent: frozenset[Message] = frozenset()
    kept: frozenset[Message] = frozenset()
    box: Letterbox = NO_BOX
    bag: Bag[Message] = NO_BAG
    votes: tuple[int, int] = (0, 0)
    count: int = 0

    def numbers(self) -> frozenset[int]:
        """The numbers of what was kept: a loop that leaves nothing out."""
        return frozenset(message.number for message in self.kept)

    def __contains__(self, message: object) -> bool:
        return any(message == known for known in self.sent)


@st.composite
def _filled(
    draw: st.DrawFn,
    texts: Sequence[str],
    every_test: st.SearchStrategy[str] = EVERY_TEST,
) -> str:
    return draw(st.sampled_from(texts)).format(
        p=draw(PLACES),
        p2=draw(PLACES),
        c=draw(CELLS),
        c2=draw(CELLS | PLACES),
        t=draw(TESTS),
        t2=draw(TESTS),
        e=draw(every_test),
        e2=draw(every_test),
        n=draw(NUMBER),
    )


HEAD = """
    after = s.evolve(sent=s.sent | {{Demand(k)}}, box=s.box.add(Response(k)))
    wanted, limit, late, total = (1, k), s.count, s.votes[0] > 0, 0
    is_wanted = lambda m: m.number in wanted
"""
GUARD = (
    """
def {name}(s):
    k = {k}"""
    + HEAD
    + "{block}\n    return total <= {n} or {truth}\n"
)
CHANGES = (
    "s.evolve(sent=s.sent | {{{m}}}, count=min(s.count + 1, 3))",
    "s.evolve(kept=s.kept | {{{m}}})",
    "s.evolve(box=s.box.add({m}), votes={{0: min({c}, 2)}})",
    "s.evolve(box=s.box.remove({m}), votes={{1: min({c}, 2)}})",
    "s.evolve(sent=frozenset(m for m in s.sent if {t}) | {{{m}}})",
    "s.evolve(kept=s.sent - s.kept, sent=frozenset())",
    "s.evolve(bag=s.bag.add({m}) if s.bag.count({m}) < 2 else s.bag.remove({m}))",
    "s.evolve(bag=s.bag.remove({m}))",
    "s.evolve(kept=frozenset({{Demand(m.number) for m in s.sent if {t}}}))",
)
ACTION = (
    """
def {name}(s):
    k = {k}"""
    + HEAD
    + """    if {truth}:
        yield {change}
    for m in sorted({p}, key=repr):
        if {t}:
            yield {change2}
"""
)
SENT = st.one_of(
    st.builds("Demand({}, {})".format, st.integers(0, 3), st.integers(0, 1)),
    st.builds("Response({}, {})".format, st.integers(0, 3), st.booleans()),
)
TRUTH_TEXTS = _filled(TRUTHS_OF) | st.builds(
    "{} <= {}".format, _filled(COUNTS), st.integers(0, 3)
)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


@st.composite
def _guard(draw: st.DrawFn, name: str) -> str:
    return GUARD.format(
        name=name,
        k=draw(st.integers(0, 3)),
        block=_indented(draw(_filled(BLOCKS)) + draw(_filled(BLOCKS))),
        n=draw(st.integers(0, 5)),
        truth=draw(TRUTH_TEXTS),
    )


@st.composite
def _claim(draw: st.DrawFn) -> str:
    late = draw(st.sampled_from(LATE_BLOCKS))
    blocks = draw(st.lists(_filled(CLAIM_BLOCKS, TESTS), min_size=1, max_size=2))
    return GUARD.format(
        name="claim",
        k=draw(st.integers(0, 3)),
        block=_indented("".join([late, *blocks])),
        n=draw(st.integers(-1, 5)),
        truth=draw(_filled(TRUTHS_OF, TESTS)),
    )


@st.composite
def _change(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(CHANGES)).format(
        m=draw(SENT), c=draw(_filled(COUNTS)), t=draw(TESTS)
    )


@st.composite
def _action(draw: st.DrawFn, name: str) -> str:
    return ACTION.format(
        name=name,
        k=draw(st.integers(0, 3)),
        truth=draw(TRUTH_TEXTS | st.just("s.count < 3")),
        change=draw(_change()),
        p=draw(PLACES),
        t=draw(TESTS),
        change2=draw(_change()),
    )


EACH = (
    """
def {name}(s):
    k = {k}"""
    + HEAD
    + """    if {truth}:{block}
"""
)
FEED = """
def act_0(s):
    for number in (0, 1, 2, 3):
        yield s.evolve(sent=s.sent | {Demand(number, number % 2)})
        if s.bag.has_room(3):
            yield s.evolve(box=s.box.add(Response(number)), bag=s.bag.add(Demand(1)))
        if number in s.votes:
            yield s.evolve(kept=s.kept | {Response(number)}, count=number)
"""


@st.composite
def _each_block(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(EACH_BLOCKS)).format(
        p=draw(SORTED_PLACES),
        t=draw(TESTS),
        n=draw(NUMBER),
        change=draw(_change()),
        c=draw(_filled(COUNTS)),
    )


@st.composite
def _of_each(
    draw: st.DrawFn, name: str, truths: st.SearchStrategy[str] = TRUTH_TEXTS
) -> str:
    block = "".join(draw(st.lists(_each_block(), min_size=1, max_size=2)))
    return EACH.format(
        name=name,
        k=draw(st.integers(0, 3)),
        truth=draw(truths | st.just("s.count < 3")),
        block=_indented(_indented(block)),
    )


HELPERS = """
def of(messages, number):
    return [m for m in messages if (m.number, 1) == (number, 1)]

def taken(s, message):
    yield s.evolve(sent=s.sent - {message})
    for m in sorted(s.kept, key=repr):
        if m.number == message.number:
            yield s.evolve(kept=s.kept - {m}, count=m.number)
"""


@frozen
class LoopSystem:
    """Actions and an invariant as one text."""

    text: str
    actions: int

    def _functions(self) -> dict[str, Any]:
        file = f"<loops {next(NUMBERS)}>"
        lines = self.text.splitlines(keepends=True)
        linecache.cache[file] = (len(self.text), None, lines, file)
        names: dict[str, Any] = {
            "Demand": Demand,
            "Response": Response,
            "is_even": is_even,
        }
        exec(compile(self.text, file, "exec", dont_inherit=True), names)
        return names

    @property
    def checked(self) -> tuple[Toy, list[Property]]:
        """The model, and its invariant."""
        functions = self._functions()
        actions = tuple(functions[f"act_{number}"] for number in range(self.actions))
        claim: Callable[[Mailroom], bool] = functions["claim"]
        starts = Mailroom(), Mailroom(box=BOX, bag=BAG, votes=(1, 2))
        return Toy(actions, starts), [always(claim)]


@st.composite
def _systems(draw: st.DrawFn) -> LoopSystem:
    actions = draw(st.integers(2, 4))
    texts = [draw(_action(f"act_{number}")) for number in range(actions)]
    return LoopSystem("".join([HELPERS, *texts, draw(_guard("claim"))]), actions)


@st.composite
def _each_systems(draw: st.DrawFn) -> LoopSystem:
    actions = draw(st.integers(2, 3))
    texts = [draw(_of_each(f"act_{number}")) for number in range(1, actions)]
    return LoopSystem("".join([HELPERS, FEED, *texts, draw(_guard("claim"))]), actions)


@st.composite
def _claim_systems(draw: st.DrawFn) -> LoopSystem:
    action = draw(_of_each("act_1", _filled(TRUTHS_OF, TESTS)))
    return LoopSystem("".join([HELPERS, FEED, action, draw(_claim())]), 2)


LOOP_SYSTEMS = _systems()
EACH_SYSTEMS = _each_systems()
"""Of which some actions have all their steps in one loop, or in two."""
CLAIM_SYSTEMS = _claim_systems()
"""Of which the invariant says something of the items of sets."""
