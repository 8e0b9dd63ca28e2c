"""One search for all changes ends with those that a search for each one explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from change_search import ChangeSearch, ChangesFound, Shown
from changed_observations import DROP, Change, changes
from changed_streams import ChangedStream, ChangedStreams
from observations import mail, office, post
from observations.nearly_explained import MODELS, nearly_explained
from replicheck.explorer.engines.trace_validation.explanation import ExplanationEnding
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Label,
    Observation,
    Streams,
    matches,
)
from replicheck.explorer.engines.trace_validation.rest import NO_STEPS, Rest
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    nothing_owed,
)
from toys import Toy

ENOUGH = 1_000_000
LIMITS = st.sampled_from((1, 20, 200, ENOUGH))
SLACKS = st.sampled_from((None, 0, 1))
OWN = st.frozensets(
    st.sampled_from(("copy_head", "take_head", "take_copy", "open_letter", "answer"))
)
"""Actions of the models that go on by themselves, until a run is at rest."""
SHOWN = {
    "mail": Shown(mail.MODEL, mail.projection, mail.owed, mail.KNOWN),
    "office": Shown(office.MODEL, office.projection, nothing_owed, office.KNOWN),
    "post": Shown(post.MODEL, post.projection, nothing_owed, post.KNOWN),
}
PLAIN = {name: StateTable(of.MODEL, of.projection) for name, of in MODELS.items()}
"""Tables of searches that know nothing of hidden steps."""


def found(
    name: str,
    seen: Sequence[Observation],
    slack: int | None,
    changed: Sequence[Change] = (),
    states: int = ENOUGH,
    most: int = ENOUGH,
    own: frozenset[str] = NO_STEPS,
) -> ChangesFound:
    """What becomes of changes in one search."""
    search = change_search(name, seen, slack, changed, own)
    return search.found(range(len(changed)), states, most)


def change_search(
    name: str,
    seen: Sequence[Observation],
    slack: int | None,
    changed: Sequence[Change],
    own: frozenset[str],
) -> ChangeSearch:
    """Searches for changes of what was observed."""
    shown = evolve(SHOWN[name], rest=Rest(PLAIN[name], own))
    return ChangeSearch(shown, Streams.of(seen, slack), changed)


def is_explained(
    name: str,
    seen: Sequence[Observation],
    slack: int | None,
    own: frozenset[str] = NO_STEPS,
) -> bool:
    """Tell whether a search that knows nothing finds a run."""
    streams = Streams.of(seen, slack)
    search = ExplanationSearch(PLAIN[name], streams, HiddenSteps(), own=own)
    return search.explain().ending is ExplanationEnding.EXPLAINED


@settings(max_examples=1 + settings().max_examples // 4, deadline=None)
@given(nearly_explained(), SLACKS, LIMITS, LIMITS, OWN)
def test_what_neither_ends_nor_is_cut_has_no_explanation(
    asked: tuple[str, list[Observation]],
    slack: int | None,
    states: int,
    most: int,
    own: frozenset[str],
) -> None:
    """With hidden steps, steps at once, copies, clocks, and whatever the limits are."""
    name, seen = asked
    several = [*changes(tuple(seen))]
    outcome = found(name, seen, slack, several, states, most, own)
    assert not outcome.ended & outcome.cut
    assert not outcome.cut or not outcome.is_whole
    assert outcome.is_whole or min(states, most) < ENOUGH or outcome.is_explained
    for number, change in enumerate(several):
        if number not in outcome.ended | outcome.cut:
            assert not is_explained(name, change.applied_to(tuple(seen)), slack, own)


@settings(max_examples=1 + settings().max_examples // 4, deadline=None)
@given(nearly_explained(), SLACKS, OWN, st.data())
def test_parts_of_the_changes_come_to_what_all_of_them_come_to(
    asked: tuple[str, list[Observation]],
    slack: int | None,
    own: frozenset[str],
    data: st.DataObject,
) -> None:
    """Searches that learn from one another leave out what they are not asked for."""
    name, seen = asked
    several = [*changes(tuple(seen))]
    ended = found(name, seen, slack, several, own=own).ended
    search = change_search(name, seen, slack, several, own)
    numbers = frozenset(range(len(several)))
    part = numbers & data.draw(st.frozensets(st.integers(0, max(0, len(several) - 1))))
    for some in (part, numbers - part):
        if some:
            assert search.found(some, ENOUGH, ENOUGH).ended == ended & some


@settings(max_examples=1 + settings().max_examples // 4, deadline=None)
@given(nearly_explained(), SLACKS, OWN)
def test_without_a_change_the_search_ends_with_explanations(
    asked: tuple[str, list[Observation]], slack: int | None, own: frozenset[str]
) -> None:
    """Every file alone is explained or not as by the search that knows nothing."""
    name, seen = asked
    ended = found(name, seen, slack, own=own)
    assert ended.is_explained is is_explained(name, seen, slack, own)


@settings(max_examples=1 + settings().max_examples // 4, deadline=None)
@given(nearly_explained(), OWN)
def test_without_clocks_each_change_that_ends_has_an_explanation(
    asked: tuple[str, list[Observation]], own: frozenset[str]
) -> None:
    """Only what ended earlier with a change can be allowed too much."""
    name, seen = asked
    several = [*changes(tuple(seen))]
    for number in found(name, seen, None, several, own=own).ended:
        assert is_explained(name, several[number].applied_to(tuple(seen)), None, own)


def test_most_changes_are_refused() -> None:
    """Of a run that is explained, one search refuses what no run shows."""
    seen = [
        Observation("taken", 0, 0, {"term": 1, "message": 1}),
        Observation("terms", 1, 1, {"term": 2}),
        Observation("taken", 2, 2, {"term": 2, "message": 2}),
    ]
    several = [*changes(tuple(seen))]
    assert found("post", seen, 0).is_explained
    outcome = found("post", seen, 0, several)
    assert {
        (several[n].kind, several[n].position, several[n].stream) for n in outcome.ended
    } == {
        ("corruption", 0, "taken"),
        ("drop", 0, "taken"),
        ("drop", 1, "taken"),
        ("swap", 0, "taken"),
    }


def test_a_letter_that_is_dated_is_not_opened_at_once() -> None:
    """What depends on another's cell is no step that goes before all others."""
    seen = [Observation(f"desk {d}", 0, 0, {"date": d - 1}) for d in (0, 1, 1)]
    seen[-1] = evolve(seen[-1], label={"date": 2})
    assert found("office", seen, None).is_explained
    plain = [Observation(f"desk {d}", 0, 0, {"date": -1}) for d in (0, 1, 1)]
    knowing = found("office", plain, None)
    assert knowing.is_explained
    ignorant = Shown(office.MODEL, office.projection, nothing_owed, HiddenSteps())
    streams = Streams.of(plain, None)
    assert (
        ChangeSearch(ignorant, streams).found((), ENOUGH, ENOUGH).states
        > knowing.states
    )


def test_drops_of_the_last_observation_are_refused_at_rest() -> None:
    """Where every message is taken in the end, none that was seen can be missing."""
    model = Toy((post.send_one, post.take_head), (post.Post(),))
    shown = evolve(SHOWN["post"], model=model)
    seen = [Observation("taken", at, at, {"term": 1, "message": 1}) for at in range(3)]
    streams = Streams.of(seen, 0)
    drops = [change for change in changes(tuple(seen)) if change.kind == DROP]
    outcome = ChangeSearch(shown, streams, drops).found(
        range(len(drops)), ENOUGH, ENOUGH
    )
    assert len(outcome.ended) == len(drops)
    table = StateTable(model, post.projection)
    rest = evolve(shown, rest=Rest(table, frozenset({"send_one", "take_head"})))
    assert ChangeSearch(rest, streams).found((), ENOUGH, ENOUGH).is_explained
    outcome = ChangeSearch(rest, streams, drops).found(
        range(len(drops)), ENOUGH, ENOUGH
    )
    assert not outcome.ended
    assert outcome.is_whole


def test_what_a_limit_cut_is_not_refused() -> None:
    """A change is refused only if no state that is left is on the way of it."""
    seen = [Observation("taken", 0, 0, {"term": 1, "message": m}) for m in (1, 2)]
    several = [*changes(tuple(seen))]
    assert found("post", seen, None, several, 1).cut
    assert not found("post", seen, None, several).cut


def test_a_change_that_is_given_up_keeps_no_other_from_an_answer() -> None:
    """Of the changes only those with too many states are undecided."""
    seen = [Observation("taken", 0, 0, {"term": 1, "message": m}) for m in (1, 2)]
    several = [*changes(tuple(seen))]
    whole = found("post", seen, None, several)
    outcome = found("post", seen, None, several, most=1)
    assert outcome.cut
    assert len(outcome.cut) < len(several)
    assert outcome.ended <= whole.ended <= outcome.ended | outcome.cut


@given(nearly_explained(), st.data())
def test_places_from_which_labels_can_be_shown(
    asked: tuple[str, list[Observation]], data: st.DataObject
) -> None:
    """Those from which a way to the end, with one change at most, has the labels."""
    _name, seen = asked
    streams = Streams.of(seen, None)
    changed = ChangedStreams(streams, [*changes(tuple(seen))])
    if not seen:
        return
    stream = data.draw(st.sampled_from(changed.by_stream))
    choices = st.sampled_from([seen.label for seen in stream.next if seen])
    labels = data.draw(st.lists(choices, min_size=1, max_size=3))
    is_free = data.draw(st.booleans())
    assert stream.can_show(labels, is_free) == [
        any(has_in_order(way, labels) for way in ways_from(stream, place, is_free))
        for place in range(len(stream.next))
    ]


def ways_from(
    stream: ChangedStream, place: int, is_free: bool
) -> Iterator[tuple[Label, ...]]:
    """Yield the labels that are shown on each way from a place to the end."""
    seen = stream.next[place]
    if seen is None:
        yield ()
    elif place < stream.end:
        for way in ways_from(stream, stream.following[place], is_free):
            yield (seen.label, *way)
        if is_free:
            for _, branch in stream.branches[place]:
                yield from ways_from(stream, branch, False)
    else:
        for way in ways_from(stream, stream.following[place], False):
            yield (seen.label, *way)


def has_in_order(way: tuple[Label, ...], labels: list[Label]) -> bool:
    """Tell whether a way has labels, in their order."""
    left = iter(way)
    return all(any(matches(seen, label) for seen in left) for label in labels)
