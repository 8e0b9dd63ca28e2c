"""What stands in queues tells early where no explanation is, and changes no answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from observations.post import KNOWN, MODEL, projection, queued
from replicheck.explorer.engines.trace_validation.explanation import ExplanationEnding
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.observations import (
    Observation,
    Streams,
)
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    nothing_owed,
)

SEEN = st.one_of(
    st.builds(
        lambda term, message: Observation(
            "taken", 0, 0, {"term": term, "message": message}
        ),
        st.integers(1, 3),
        st.integers(1, 3),
    ),
    st.builds(
        lambda term: Observation("terms", 0, 0, {"term": term}), st.integers(2, 3)
    ),
)


def searches(seen: list[Observation]) -> tuple[ExplanationSearch, ExplanationSearch]:
    """A search that knows of the queue, and one that does not."""
    streams = Streams.of(seen, None)
    table = StateTable(MODEL, projection, nothing_owed, queued)
    return (
        ExplanationSearch(table, streams, KNOWN),
        ExplanationSearch(StateTable(MODEL, projection), streams),
    )


@given(st.lists(SEEN, max_size=6))
def test_queues_change_no_answer(seen: list[Observation]) -> None:
    """Both searches explain the same."""
    knowing, plain = (search.explain() for search in searches(seen))
    assert knowing.ending is plain.ending
    assert knowing.ending is not ExplanationEnding.UNDECIDED


def test_a_wrong_message_is_noticed_when_it_is_sent() -> None:
    """The search does not go on behind it."""
    taken = [{"term": 1, "message": message} for message in (1, 2, 1, 3)]
    seen = [Observation("taken", 0, 0, label) for label in taken]
    knowing, plain = (search.explain() for search in searches(seen))
    assert knowing.ending is plain.ending is ExplanationEnding.NOT_EXPLAINED
    assert knowing.nodes < plain.nodes
