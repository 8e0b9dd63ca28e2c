"""Ids that are said to be alike: how they are renamed, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import pytest

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always
from replicheck.explorer.states.symmetry import Reduction
from replicheck.model.modelling.errors import ModellingError
from replicheck.model.modelling.instantiation import instance_of, try_out
from replicheck.model.modelling.symmetry import IdRenaming
from replicheck.model.protocol import Protocol
from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Elector(Id):
    """One of several that are alike."""


class Ballot(Id):
    """Another kind."""


class Electors(Bounds):
    """How many there are."""

    voters: int = bound(3)


class Poll(State):
    """How often each voted, and the last to vote; -1 is none of them, and so is 7."""

    votes: tuple[int, ...]
    last: Elector = Elector(-1)


def no_vote(size: Electors) -> Poll:
    """All voted 0 times."""
    return Poll((0,) * size.voters)


def vote(s: Poll, voter: Elector) -> Iterator[Poll]:
    """A voter votes, at most twice."""
    if s.votes[voter] < 2:
        yield s.evolve(votes={voter: s.votes[voter] + 1}, last=voter)


def forget(s: Poll) -> Iterator[Poll]:
    """The last to vote is none of them."""
    yield s.evolve(last=Elector(7))


def poll(
    domain: Callable[[Electors], Iterable[Elector]] | str = "voters", *families: str
) -> Model[Electors]:
    """A model in which voters are alike."""
    model = Model("poll", Electors, {Elector: domain, Ballot: "voters"})
    model.initial(no_vote)
    model.action(vote)
    model.action(forget)
    model.symmetric(Elector, *(families or ("votes",)))
    return model


def orbit(state: Poll) -> frozenset[Any]:
    """All states that are renamings of one, written by hand."""
    size = len(state.votes)
    orders = [p for p in product(range(size), repeat=size) if len(set(p)) == size]
    return frozenset(
        (
            tuple(state.votes[order.index(place)] for place in range(size)),
            order[state.last] if 0 <= state.last < size else int(state.last),
        )
        for order in orders
    )


def test_what_is_no_id_of_the_domain_keeps_its_name() -> None:
    """States count once for each orbit, whatever number stands for none."""
    model = instance_of(poll(), Protocol("poll", (vote, forget)), Electors(voters=3))
    seen, todo = set(model.initial_states()), list(model.initial_states())
    while todo:
        state = todo.pop()
        found = {after for voter in range(3) for after in vote(state, Elector(voter))}
        todo += (found | set(forget(state))) - seen
        seen |= found | set(forget(state))
    claim = always(lambda s: sum(s.votes) < 6 or s.last != 7)
    plain = Naive().explore(model, [claim], Search())
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    assert engine.explore(model, (), Search()).states == len(set(map(orbit, seen)))
    report = engine.explore(model, [claim], Search())
    first, second = report.violations[0], plain.violations[0]
    assert len(first.trace.states) == len(second.trace.states)


class CastVote(Value):
    """For whom one of several voted, with whom, and after whom."""

    voter: Elector
    ballot: Ballot
    following: tuple[Elector, ...] = ()
    beside: frozenset[Elector] = frozenset()


def test_ids_within_values_are_renamed() -> None:
    """In a field, in a tuple and in a set; those of another kind keep their names."""
    renaming = IdRenaming({Elector: (2, 0, 1)}, {Elector: ("votes",)})
    first, second, third = map(Elector, range(3))
    cast = CastVote(first, Ballot(0), (second, first), frozenset({second, third}))
    after = CastVote(third, Ballot(0), (first, third), frozenset({first, second}))
    assert renaming.value(cast) == after
    assert renaming.value(frozenset({(cast, first)})) == frozenset({(after, third)})


def test_families_of_one_kind_can_be_named_one_after_the_other() -> None:
    """None is forgotten."""
    model = poll()
    model.symmetric(Elector, "others")
    assert model.families == {Elector: ("votes", "others")}


def test_ids_that_are_alike_begin_at_0() -> None:
    """They are places in tuples."""
    model = poll(lambda size: map(Elector, range(1, size.voters + 1)))
    message = "said to be alike, which index tuples, so they are 0 to 2; their domain"
    with pytest.raises(ModellingError, match=f"Elector are {message} is 1, 2, 3"):
        try_out(model)


def test_a_tuple_is_indexed_by_one_kind() -> None:
    """Two that are renamed in their own ways would both move its elements."""
    model = poll()
    model.symmetric(Ballot, "votes")
    message = r"symmetric\(Ballot, 'votes'\): that tuple is indexed by Elector"
    with pytest.raises(ModellingError, match=message):
        try_out(model)


class SeenVoters(State):
    """Who voted; who was seen, by place; and the number of the last to vote."""

    votes: tuple[bool, ...] = (False,) * 3
    seen: tuple[bool, ...] = (False,) * 3
    last: int = 7


def mark(s: SeenVoters, voter: Elector) -> Iterator[SeenVoters]:
    """A voter votes and is seen."""
    if not s.votes[voter]:
        yield s.evolve(votes={voter: True}, seen={voter: True})


def number(s: SeenVoters, voter: Elector) -> Iterator[SeenVoters]:
    """A voter is noted by a plain number."""
    if not s.votes[voter]:
        yield s.evolve(votes={voter: True}, last=int(voter))


def vote_once(s: SeenVoters, voter: Elector) -> Iterator[SeenVoters]:
    """A voter votes."""
    if not s.votes[voter]:
        yield s.evolve(votes={voter: True})


def voters_were_seen(s: SeenVoters) -> bool:
    """Each voter was seen."""
    return all(seen or not voted for voted, seen in zip(s.votes, s.seen, strict=True))


@pytest.mark.parametrize(
    ("action", "tuples", "told"),
    [
        (
            mark,
            ("votes",),
            "differs in `seen`, and no renaming moves the cells of `seen",
        ),
        (number, ("votes", "seen"), "the nearest to that differs in `last`: say which"),
    ],
)
def test_a_field_that_no_renaming_maps_is_named(
    action: Callable[..., Any], tuples: tuple[str, ...], told: str
) -> None:
    """A tuple that was forgotten, or an id that is a plain number."""
    model = Model("marks", Electors, domains={Elector: "voters"})
    model.initial(lambda size: SeenVoters())
    model.action(action)
    model.symmetric(Elector, *tuples)
    made = instance_of(model, Protocol("marks", (action,)), Electors(voters=3))
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    with pytest.raises(ModelError, match=told):
        engine.explore(made, [], Search())


def test_a_claim_about_a_field_that_no_renaming_moves_names_it() -> None:
    """The claim says the same of all voters: the model left the tuple out."""
    model = Model("marks", Electors, domains={Elector: "voters"})
    model.initial(lambda size: SeenVoters(seen=(True, False, False)))
    model.action(vote_once)
    model.symmetric(Elector, "votes")
    made = instance_of(model, Protocol("marks", (vote_once,)), Electors(voters=3))
    engine = BreadthFirst(reduction=Reduction.SYMMETRY)
    told = "`voters_were_seen` is .* no renaming moves the cells of `seen`: say"
    with pytest.raises(ModelError, match=told):
        engine.explore(made, [always(voters_were_seen)], Search())
