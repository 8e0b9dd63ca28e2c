"""A search without needless copies explains what one with all of them explains."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.trace_validation.explanation import ExplanationEnding
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.needless_steps import (
    RemainingObservations,
)
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    Observation,
    Streams,
)
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.instances import Instance
from replicheck.model.state_base import Cells
from toys import Toy

KNOWN = HiddenSteps(
    copies=frozenset({"take_copy"}), of_messages=frozenset({"sent", "copies"})
)


@frozen
class Mail(Cells):
    """Messages in a channel, copies of them, and the last one that was taken."""

    sent: str = "121"
    copies: str = ""
    taken: str = ""
    left: int = 2


def copy_head(mail: Mail) -> Iterator[Mail]:
    """The first message is there twice from now on; nothing shows it."""
    if mail.sent and mail.left:
        copies = mail.copies + mail.sent[0]
        yield mail.evolve(copies=copies, left=mail.left - 1)


def take_head(mail: Mail) -> Iterator[Mail]:
    """The first message is taken."""
    if mail.sent:
        yield mail.evolve(sent=mail.sent[1:], taken=mail.sent[0])


def take_copy(mail: Mail) -> Iterator[Mail]:
    """The first copy is taken."""
    if mail.copies:
        yield mail.evolve(copies=mail.copies[1:], taken=mail.copies[0])


def clear(mail: Mail) -> Iterator[Mail]:
    """The channel is lost with its messages, while copies stay; nothing shows it."""
    if mail.sent:
        yield mail.evolve(sent="")


MODEL = Toy((copy_head, take_head, take_copy, clear), (Mail(),))


def projection(action: Instance, before: Mail, after: Mail) -> list[Event]:
    """What is taken is shown, and whether it was new, which a copy leaves open."""
    if action.name == "take_head":
        new = before.taken != after.taken
        return [("taken", {"message": after.taken, "new": new})]
    if action.name == "take_copy":
        return [("taken", {"message": after.taken, "new": ...})]
    return []


def owed(mail: Mail) -> list[Event]:
    """Each copy is to be taken."""
    return [("taken", {"message": copied, "new": ...}) for copied in mail.copies]


def taken(message: str, *, new: bool) -> Observation:
    """A message that was seen to be taken."""
    return Observation("taken", 0, 0, {"message": message, "new": new})


MESSAGES = st.builds(
    lambda m, n: taken(m, new=n), st.sampled_from("123"), st.booleans()
)


@given(st.lists(MESSAGES, max_size=6))
def test_needless_steps_change_no_answer(seen: list[Observation]) -> None:
    """Both searches know the steps of copies, or neither does: the answer is one."""
    streams = Streams.of(seen, None)
    knowing = StateTable(MODEL, projection, owed)
    found = ExplanationSearch(knowing, streams, KNOWN).explain()
    plain = ExplanationSearch(StateTable(MODEL, projection), streams).explain()
    assert found.ending is plain.ending
    assert found.ending is not ExplanationEnding.UNDECIDED


def test_a_copy_that_cannot_be_taken_is_not_made() -> None:
    """Less is visited where nothing that is left can be a copy."""
    streams = Streams.of([taken("1", new=True), taken("3", new=True)], None)
    knowing = StateTable(MODEL, projection, owed)
    found = ExplanationSearch(knowing, streams, KNOWN).explain()
    plain = ExplanationSearch(StateTable(MODEL, projection), streams).explain()
    assert found.ending is plain.ending is ExplanationEnding.NOT_EXPLAINED
    assert found.nodes < plain.nodes


def test_what_is_owed_has_to_remain_in_its_order() -> None:
    """Events of a stream are looked for one behind the other."""
    streams = Streams.of([taken("1", new=True), taken("2", new=True)], None)
    remaining = RemainingObservations(streams)
    first, second = (("taken", {"message": m, "new": ...}) for m in "12")
    assert remaining.have((first, second), (0,))
    assert not remaining.have((second, first), (0,))
    assert not remaining.have((first,), (1,))
    assert not remaining.have((("elsewhere", {}),), (0,))
