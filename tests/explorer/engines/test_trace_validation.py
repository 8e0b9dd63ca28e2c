"""A run explains observations if and only if one is found by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.trace_validation.explanation import (
    WHOLE,
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    Observation,
    Streams,
    differences,
)
from replicheck.explorer.engines.trace_validation.state_table import StateTable
from replicheck.explorer.instances import Instance, instances
from searches.two_counters import TwoCounters, add_left, add_right
from toys import Toy


def swap(state: TwoCounters) -> Iterator[TwoCounters]:
    """Swap the counters; nothing shows it."""
    if state.left != state.right:
        yield state.evolve(left=state.right, right=state.left)


def drop_left(state: TwoCounters) -> Iterator[TwoCounters]:
    """The left counter begins anew; nothing shows it."""
    if state.left:
        yield state.evolve(left=0)


MODEL = Toy((add_left, add_right, swap, drop_left), (TwoCounters(3),))


def projection(
    action: Instance, before: TwoCounters, after: TwoCounters
) -> list[Event]:
    """Each counter has a stream, which shows its new value."""
    if action.name == "add_left":
        return [("left", {"value": after.left, "other": after.right})]
    if action.name == "add_right":
        return [("right", {"value": after.right, "other": ...})]
    return []


def explained(
    observations: Sequence[Observation],
    slack: int | None = None,
    effort: Effort = WHOLE,
    late: frozenset[str] = frozenset(),
    own: frozenset[str] = frozenset(),
) -> Explanation:
    """Explanation of observations by the counters."""
    streams = Streams.of(observations, slack)
    hidden = HiddenSteps(late=late)
    table = StateTable(MODEL, projection)
    return ExplanationSearch(table, streams, hidden, effort, own).explain()


def seen(stream: str, at: int = 0, **label: Any) -> Observation:
    """Observation at one time."""
    return Observation(stream, at, at, label)


def naive_is_at_rest(state: TwoCounters, own: frozenset[str]) -> bool:
    """Tell whether no sequence of own steps shows an event, by trying each."""
    met, pending = {state}, [state]
    while pending:
        before = pending.pop()
        for action in instances(MODEL.actions, MODEL.domains):
            for after in action(before) if action.name in own else ():
                if after != before and projection(action, before, after):
                    return False
                if after not in met:
                    met.add(after)
                    pending.append(after)
    return True


def naive_explains(
    observations: Sequence[Observation], own: frozenset[str] = frozenset()
) -> bool:
    """Tell whether some run explains them, by trying every run, without clocks.

    It must end where no sequence of steps of the actions ``own`` shows an event.
    """
    by_stream = {
        stream: [o.label for o in observations if o.stream == stream]
        for stream in ("left", "right")
    }
    actions = instances(MODEL.actions, MODEL.domains)
    found, pending = set(), [(MODEL.starts[0], 0, 0)]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found.add(node)
        state, left, right = node
        for action in actions:
            for after in action(state):
                cursors = {"left": left, "right": right}
                if all(
                    cursors[stream] < len(by_stream[stream])
                    and not [*differences(by_stream[stream][cursors[stream]], label)]
                    for stream, label in projection(action, state, after)
                ):
                    for stream, _ in projection(action, state, after):
                        cursors[stream] += 1
                    pending.append((after, cursors["left"], cursors["right"]))
    ends = len(by_stream["left"]), len(by_stream["right"])
    return any(
        (left, right) == ends and naive_is_at_rest(state, own)
        for state, left, right in found
    )


LABELS = st.fixed_dictionaries(
    {"value": st.integers(1, 3)}, optional={"other": st.integers(0, 3)}
)


@given(
    st.lists(st.tuples(st.sampled_from(("left", "right")), LABELS), max_size=6),
    st.frozensets(st.sampled_from(("swap", "drop_left"))),
    st.frozensets(st.sampled_from(("add_left", "add_right", "swap", "drop_left"))),
)
def test_a_run_is_found_if_and_only_if_there_is_one(
    labels: list[tuple[str, dict[str, int]]],
    late: frozenset[str],
    own: frozenset[str],
) -> None:
    """The search agrees with one that tries every run, whatever steps it takes late.

    A run must end at rest, whatever steps the system takes by itself.
    """
    observations = [Observation(stream, 0, 0, label) for stream, label in labels]
    expected = ExplanationEnding.NOT_EXPLAINED
    if naive_explains(observations, own):
        expected = ExplanationEnding.EXPLAINED
    assert explained(observations, late=late, own=own).ending is expected


@given(st.lists(st.sampled_from(("add_left", "add_right", "swap")), max_size=12))
def test_what_a_run_shows_is_explained(names: list[str]) -> None:
    """The events of any run, in its order and at its times, have an explanation."""
    actions = {action.name: action for action in instances(MODEL.actions, {})}
    state, observations = MODEL.starts[0], []
    for at, name in enumerate(names):
        for after in actions[name](state):
            for stream, label in projection(actions[name], state, after):
                known = {k: v for k, v in label.items() if v is not ...}
                observations.append(Observation(stream, at, at, known))
            state = after
    found = explained(observations, slack=0)
    assert found.ending is ExplanationEnding.EXPLAINED
    assert found.explained == len(observations)


def test_each_observation_belongs_to_the_step_that_shows_it() -> None:
    """A step has the observations that it explains, a hidden one has none."""
    found = explained([seen("left", value=1), seen("left", value=2, other=0)])
    shown = [[o.label["value"] for o in matched] for matched in found.matched]
    assert [step.action for step in found.trace.steps] == ["add_left", "add_left"]
    assert shown == [[1], [2]]


def test_a_hidden_step_is_taken_where_it_is_needed() -> None:
    """The left counter cannot show 1 again unless the counters were swapped."""
    found = explained([seen("left", value=1), seen("left", at=1, value=1)])
    assert [step.action for step in found.trace.steps] == [
        "add_left",
        "swap",
        "add_left",
    ]


def test_clocks_refuse_an_order() -> None:
    """What began after the slack cannot come before what had ended."""
    late = [seen("right", at=0, value=1), seen("left", at=100, value=1)]
    assert explained(late, slack=100).ending is ExplanationEnding.EXPLAINED
    assert explained(late, slack=99).ending is ExplanationEnding.NOT_EXPLAINED
    assert explained(late, slack=None).ending is ExplanationEnding.EXPLAINED


def test_an_end_that_is_not_at_rest_is_refused() -> None:
    """The steps are named that the system takes by itself afterwards."""
    one = [seen("left", value=1)]
    assert explained(one).ending is ExplanationEnding.EXPLAINED
    found = explained(one, own=frozenset({"add_left"}))
    assert found.ending is ExplanationEnding.NOT_EXPLAINED
    assert found.explained == found.observations
    assert not found.next
    (step,) = found.to_come
    assert step.step == "add_left"
    assert step.events[0][0] == "left"


def test_hidden_steps_may_go_on_for_ever_at_rest() -> None:
    """A step that nothing shows, and that leads to none that is shown, is no unrest."""
    found = explained([seen("left", value=1)], own=frozenset({"swap", "drop_left"}))
    assert found.ending is ExplanationEnding.EXPLAINED
    assert not found.to_come


def test_a_limit_leaves_it_undecided() -> None:
    """A search that ended early says neither that there is a run nor that none is."""
    impossible = [seen("left", value=3), seen("right", value=3)]
    assert explained(impossible).ending is ExplanationEnding.NOT_EXPLAINED
    assert (
        explained(impossible, effort=Effort(nodes=2)).ending
        is ExplanationEnding.UNDECIDED
    )


def test_a_limit_that_is_over_at_once_leaves_it_undecided() -> None:
    """Then the run is that of an initial state alone."""
    found = explained([seen("left", value=1)], effort=Effort(seconds=1e-9))
    assert found.ending is ExplanationEnding.UNDECIDED
    assert found.trace.steps == ()


def test_what_came_close_is_named() -> None:
    """Where nothing explains, the enabled steps are compared with what comes next."""
    found = explained([seen("left", value=1), seen("left", value=9)])
    assert found.explained == 1
    assert [o.label for o in found.next] == [{"value": 9}]
    (near,) = {miss.differences for miss in found.near if miss.step == "add_left"}
    assert near[0].startswith("value: seen 9, the model shows ")


def test_a_key_that_the_model_does_not_show_is_a_difference() -> None:
    """A misspelled key is not taken for one that is left open."""
    (found,) = differences({"vlaue": 1}, {"value": 1})
    assert found == "vlaue: seen 1, which the model does not show"


def test_true_is_not_1() -> None:
    """Values that Python compares as equal are told apart where JSON does."""
    assert [*differences({"value": True}, {"value": 1})]
