"""Quorums: any majority of some acceptors answers, whichever it is.

A state has a next one for each majority: thousands where there are a dozen acceptors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from replicheck.modelling import Bounds, Id, Model, State, bound, constant


class Acceptor(Id):
    """One of those that answer."""


class Size(Bounds):
    """How many acceptors, and how many rounds."""

    acceptors: int = bound(5, at_least=1)
    rounds: int = bound(3)


class Ballots(State):
    """Who answered in the last round, and how many rounds there were."""

    size: Size = constant()
    answered: frozenset[Acceptor] = frozenset()
    round: int = 0


model = Model("quorums", Size, {Acceptor: "acceptors"})


@model.initial
def nobody_answered(size: Size) -> Ballots:
    """No round has begun."""
    return Ballots(size)


@model.action
def answer(s: Ballots) -> Iterator[Ballots]:
    """Any majority answers in another round."""
    if s.round < s.size.rounds:
        acceptors = [Acceptor(number) for number in range(s.size.acceptors)]
        for count in range(len(acceptors) // 2 + 1, len(acceptors) + 1):
            for chosen in combinations(acceptors, count):
                yield s.evolve(answered=frozenset(chosen), round=s.round + 1)


@model.always
def majorities_answer(s: Ballots) -> bool:
    """More than half have answered once a round has begun."""
    return s.round == 0 or 2 * len(s.answered) > s.size.acceptors
