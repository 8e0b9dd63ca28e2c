"""The contract between a model and the engines: ordinary Python, met by shape.

A **state** is a frozen attrs value. Each field is a *cell*, except that

* a field holding a tuple is a *family*: one cell for each element, nested tuples
  included; all states of a model have the same families of the same lengths;
* a field with ``eq=False`` is a *constant* of the instance and no cell at all.

States have one method that writes, ``evolve(**cells)``: it returns the state with new
values in the named cells; for a family it takes a mapping from index to value, the
index being a tuple where families are nested.

A class of states may also have ``fault_in_cell_(field, value)``, a class method: it
says what is wrong with a value in a cell of a field, and nothing if the value may be
there. A value that is wrong ends a search.

An **action** is a generator function ``action(state, *parameters)`` that yields the
next states, none where it is disabled. Its parameters are enumerated from the model's
``domains`` by their annotations. A **predicate** is ``predicate(state, *parameters)``
and answers true or false. Both read nothing but the state and change nothing.

Two rules let an engine learn what an action depends on, rather than be told:

* read attributes and methods of cells rather than whole cells;
* a method of a cell's value that is annotated to return ``Self`` is an *operation*:
  it is a write that an engine applies, not a read of the value.

While it learns, a function gets views in place of the state, the families and those
cells whose values are frozen attrs values. They do what the values do, with two
limits: ask for a class by ``isinstance``, for ``type(…)`` is that of the view, and let
a cell answer with what can be hashed. A cell keeps the class of its values. Ask of a
cell, not of a family, whether it ``is`` another.

A **step property** is a predicate of two states; it should begin by asking whether the
step left alone what it speaks of, with ``after.x[i] is before.x[i]``, which costs no
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from attrs import frozen

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)

ActionFunction = Callable[..., Iterator[Any]]
Predicate = Callable[..., bool]
Domains = Mapping[object, Sequence[object]]
"""For each annotated type of a parameter the values that it takes, in order."""


class Symmetry(Protocol):
    """A renaming under which the model is the same: maps cells and their values."""

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """The index, within its family, that the renamed cell has."""

    def value(self, value: Any) -> Any:
        """The value with every name in it replaced."""

    def then(self, after: Any) -> Symmetry:
        """The renaming that is this one and, of what it gives, another one.

        Renamings that do the same are equal and have the same hash.
        """


class Model(Protocol[S_co]):
    """A finite instance of a system."""

    @property
    def name(self) -> str:
        """The name under which reports speak of the model."""

    @property
    def actions(self) -> Sequence[ActionFunction]:
        """The actions; their order is the order of exploration."""

    @property
    def domains(self) -> Domains:
        """The values of every parameter type of actions and predicates."""

    @property
    def constraints(self) -> Sequence[Predicate]:
        """Predicates; a state that breaks one is judged but not expanded."""

    @property
    def symmetries(self) -> Iterable[Symmetry]:
        """The renamings other than the identity; a group, or empty.

        They can be very many: let them be made while they are iterated over.
        """

    def initial_states(self) -> Iterable[S_co]:
        """The states in which a run can begin."""


@frozen
class ModelFromStates:
    """A model whose runs begin in given states, and which is another one but for that.

    Args:
        states: the initial states, of the shape of those of the other model.
    """

    model: Any
    states: tuple[Any, ...]

    def initial_states(self) -> tuple[Any, ...]:
        """The given states."""
        return self.states

    def __getattr__(self, name: str) -> Any:
        """What the other model has under a name."""
        return getattr(self.model, name)
