"""Values with a sequence, between two other fields."""

from __future__ import annotations

from attrs import frozen
from hypothesis import strategies as st


@frozen
class Track:
    """A sequence between two other fields."""

    SEQUENCE = "marks"
    AT_END = frozenset({"append"})

    name: str = ""
    marks: tuple[int, ...] = ()
    is_open: bool = False


TRACKS = st.builds(
    Track,
    st.sampled_from(["", "a"]),
    st.lists(st.integers(0, 3), max_size=6).map(tuple),
    st.booleans(),
)
