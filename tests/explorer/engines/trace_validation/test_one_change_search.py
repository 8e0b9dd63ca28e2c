"""What one search for all changes refuses, a search for each change refuses, too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from changed_observations import Change, changes
from observations import mail, post
from one_change_search import OneChangeSearch, Outcome
from replicheck.explorer.engines.trace_validation.explanation import ExplanationEnding
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Observation,
    Streams,
)
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.instances import instances

ENOUGH = 100_000
SLACKS = st.sampled_from((None, 0, 1))
MODELS = {"mail": mail, "post": post}
TABLES = {
    "mail": (
        StateTable(mail.MODEL, mail.projection, mail.owed),
        StateTable(mail.MODEL, mail.projection),
        mail.KNOWN,
    ),
    "post": (
        StateTable(post.MODEL, post.projection, queued=post.queued),
        StateTable(post.MODEL, post.projection),
        post.KNOWN,
    ),
}
"""Of each model the table of a search that knows all, and of one that knows nothing."""


@st.composite
def nearly_explained(draw: st.DrawFn) -> tuple[str, list[Observation]]:
    """What a run of a model shows, with one value, observation or order amiss.

    So it is likely that a run explains what becomes of it by one change.
    """
    name = draw(st.sampled_from(sorted(MODELS)))
    model = MODELS[name]
    (state,), seen = model.MODEL.starts, list[Observation]()
    actions = instances(model.MODEL.actions, {})
    for at in range(draw(st.integers(2, 9))):
        enabled = [(one, after) for one in actions for after in one(state)]
        if not enabled:
            break
        action, after = draw(st.sampled_from(enabled))
        for stream, label in model.projection(action, state, after):
            known = {key: value for key, value in label.items() if value is not ...}
            seen.append(Observation(stream, at, at, known))
        state = after
    if not seen:
        return name, seen
    place = draw(st.integers(0, len(seen) - 1))
    amiss = seen[place]
    how = draw(st.sampled_from(("value", "twice", "moved")))
    if how == "value":
        key = draw(st.sampled_from(sorted(amiss.label)))
        changed = {**amiss.label, key: before(amiss.label[key])}
        seen[place] = evolve(amiss, label=changed)
    elif how == "twice":
        seen.insert(draw(st.integers(0, len(seen))), amiss)
    else:
        seen.insert(draw(st.integers(0, len(seen) - 1)), seen.pop(place))
    return name, seen


def before(value: int) -> int:
    """The value that a corruption turns into this one."""
    return not value if isinstance(value, bool) else value - 1


def outcome(
    name: str,
    seen: Sequence[Observation],
    slack: int | None,
    changed: Sequence[Change],
    nodes: int = ENOUGH,
    share: int = ENOUGH,
) -> Outcome:
    """What becomes of changes."""
    knowing, _, hidden = TABLES[name]
    streams = Streams.of(seen, slack)
    return OneChangeSearch(knowing, streams, hidden, changed, nodes, share).outcome()


def is_explained(
    name: str, seen: Sequence[Observation], slack: int | None, change: Change
) -> bool:
    """Tell whether a search that knows nothing finds a run for a change."""
    _, plain, _ = TABLES[name]
    streams = Streams.of(change.applied_to(tuple(seen)), slack)
    found = ExplanationSearch(plain, streams, HiddenSteps()).explain()
    return found.ending is ExplanationEnding.EXPLAINED


@settings(max_examples=10 * settings().max_examples)
@given(
    nearly_explained(),
    SLACKS,
    st.sampled_from((0, 5, 50, ENOUGH)),
    st.sampled_from((0, 5, ENOUGH)),
)
def test_what_is_refused_has_no_explanation(
    asked: tuple[str, list[Observation]], slack: int | None, nodes: int, share: int
) -> None:
    """With hidden steps, copies, queues and clocks, and whatever the limits are."""
    name, seen = asked
    several = [*changes(tuple(seen))]
    found = outcome(name, seen, slack, several, nodes, share)
    assert not found.refused & found.cut
    assert not found.cut or nodes < ENOUGH
    for number, change in enumerate(several):
        if found.refused >> number & 1:
            assert not is_explained(name, seen, slack, change)


def test_most_changes_are_refused() -> None:
    """Of a run that is explained, one search refuses what no step shows."""
    seen = [
        Observation("taken", 0, 0, {"term": 1, "message": 1}),
        Observation("terms", 1, 1, {"term": 2}),
        Observation("taken", 2, 2, {"term": 2, "message": 2}),
    ]
    several = [*changes(tuple(seen))]
    found = outcome("post", seen, 0, several)
    kept = {
        (change.kind, change.position, change.stream)
        for number, change in enumerate(several)
        if not found.refused >> number & 1
    }
    assert kept == {
        ("corruption", 0, "taken"),
        ("drop", 0, "taken"),
        ("swap", 0, "taken"),
        ("drop", 1, "taken"),
    }


@pytest.mark.parametrize("nodes", [0, 3])
def test_what_a_limit_cut_is_not_refused(nodes: int) -> None:
    """A change is refused only if no node that is left is on the way of it."""
    seen = [Observation("taken", 0, 0, {"term": 1, "message": m}) for m in (1, 2)]
    several = [*changes(tuple(seen))]
    assert outcome("post", seen, None, several, nodes).cut
    assert not outcome("post", seen, None, several).cut
