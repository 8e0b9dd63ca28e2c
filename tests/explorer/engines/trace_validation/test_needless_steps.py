"""A search without needless copies explains what one with all of them explains."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from observations.mail import KNOWN, MODEL, RELIABLE, owed, projection
from replicheck.explorer.engines.trace_validation.explanation import ExplanationEnding
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.needless_steps import (
    RemainingObservations,
)
from replicheck.explorer.engines.trace_validation.observations import (
    KnownMatches,
    Observation,
    Streams,
)
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from toys import Toy


def taken(message: int, *, new: bool) -> Observation:
    """A message that was seen to be taken."""
    return Observation("taken", 0, 0, {"message": message, "new": new})


MESSAGES = st.builds(lambda m, n: taken(m, new=n), st.integers(1, 3), st.booleans())


@given(st.sampled_from([MODEL, RELIABLE]), st.lists(MESSAGES, max_size=6))
def test_needless_steps_change_no_answer(model: Toy, seen: list[Observation]) -> None:
    """Both searches know the steps of copies, or neither does: the answer is one."""
    streams = Streams.of(seen, None)
    knowing = StateTable(model, projection, owed)
    found = ExplanationSearch(knowing, streams, KNOWN).explain()
    plain = ExplanationSearch(StateTable(model, projection), streams).explain()
    assert found.ending is plain.ending
    assert found.ending is not ExplanationEnding.UNDECIDED


def test_a_message_that_shows_something_else_does_not_stand_for_its_copy() -> None:
    """What the copy leaves open was seen, and the message would show it otherwise."""
    streams = Streams.of([taken(1, new=False)], None)
    knowing = StateTable(RELIABLE, projection, owed)
    found = ExplanationSearch(knowing, streams, KNOWN).explain()
    assert found.ending is ExplanationEnding.EXPLAINED


def test_a_copy_that_cannot_be_taken_is_not_made() -> None:
    """Less is visited where nothing that is left can be a copy."""
    streams = Streams.of([taken(1, new=True), taken(3, new=True)], None)
    knowing = StateTable(MODEL, projection, owed)
    found = ExplanationSearch(knowing, streams, KNOWN).explain()
    plain = ExplanationSearch(StateTable(MODEL, projection), streams).explain()
    assert found.ending is plain.ending is ExplanationEnding.NOT_EXPLAINED
    assert found.nodes < plain.nodes


def test_what_is_owed_has_to_remain_in_its_order() -> None:
    """Events of a stream are looked for one behind the other."""
    streams = Streams.of([taken(1, new=True), taken(2, new=True)], None)
    remaining = RemainingObservations(streams, KnownMatches())
    first, second = (("taken", {"message": m, "new": ...}) for m in (1, 2))
    assert remaining.have((first, second), (0,))
    assert not remaining.have((second, first), (0,))
    assert not remaining.have((first,), (1,))
    assert not remaining.have((("elsewhere", {}),), (0,))
