"""A model whose states are marked by predicates.

A mark is an action that changes nothing, enabled where its predicate holds: so the walk
that finds the steps of a state finds its marks, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, Generic

from attrs import frozen

from replicheck.explorer.model import (
    ActionFunction,
    Domains,
    Model,
    Predicate,
    S,
    Symmetry,
)


def mark_of(predicate: Predicate) -> ActionFunction:
    """An action that has one step, to the same state, where a predicate holds."""

    @wraps(predicate)
    def mark(state: Any, *arguments: object) -> Iterator[Any]:
        if predicate(state, *arguments):
            yield state

    return mark


@frozen
class MarkedModel(Generic[S]):
    """A model, and the marks of some predicates as its last actions."""

    model: Model[S]
    marks: tuple[ActionFunction, ...]
    constraints: Sequence[Predicate] = ()
    symmetries: Iterable[Symmetry] = ()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def actions(self) -> Sequence[ActionFunction]:
        """The actions of the model, then the marks."""
        return (*self.model.actions, *self.marks)

    @property
    def domains(self) -> Domains:
        """The values of every parameter type."""
        return self.model.domains

    def initial_states(self) -> Iterable[S]:
        """The states in which a run can begin."""
        return self.model.initial_states()
