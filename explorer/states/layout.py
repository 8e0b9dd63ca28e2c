"""The layout of states: which cells they have, and how to take one apart by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, repeat
from typing import Any, Self

import attrs
from attrs import field, frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Model
from replicheck.explorer.states.encoding import CellEncoding
from replicheck.explorer.states.value_parts import SetClass

Shape = int | slice | tuple["Shape", ...]
"""A column, the columns of a family, or of one nested in others."""


@frozen
class Cell:
    """The name of one cell: a field of the state and the index in its family."""

    field: str
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The name as it is written in Python, such as ``logs[2]``."""
        return self.field + "".join(f"[{i}]" for i in self.index)


@frozen(slots=False)
class Layout:
    """The cells of every state of one model, in the order of the fields."""

    state_class: type
    cells: tuple[Cell, ...]
    constants: tuple[str, ...] = field(default=(), eq=False)
    shapes: Mapping[str, Shape] = field(factory=dict, eq=False)
    """Where the values of each field are among those of all cells."""

    @classmethod
    def of(cls, state: Any) -> Self:
        """The layout of a state.

        Raises:
            ModelError: if it is no frozen attrs value, or has no cell.
        """
        if not attrs.has(type(state)):
            raise ModelError(
                f"a state is a {type(state).__name__}, expected a frozen attrs class"
            )
        fields = attrs.fields(type(state))
        columns = count()
        cells = tuple(
            Cell(field.name, index)
            for field in fields
            if field.eq
            for index in _indexes(getattr(state, field.name))
        )
        if not cells:
            raise ModelError(
                f"the state {state} has no cell: its fields are constants, or families"
                " without members. Give it a field that a step changes; put a sequence"
                " that grows into a value class of its own"
            )
        return cls(
            type(state),
            cells,
            tuple(field.name for field in fields if not field.eq),
            {
                field.name: _shape(field.name, getattr(state, field.name), columns)
                for field in fields
                if field.eq
            },
        )

    @cached_property
    def columns(self) -> dict[Cell, int]:
        """The position of each cell."""
        return {cell: column for column, cell in enumerate(self.cells)}

    @property
    def plain(self) -> Layout:
        """The layout of the same states with one column for each cell."""
        return self

    @property
    def set_classes(self) -> list[SetClass | None]:
        """For each column the class of the split set of which it says something."""
        return [None] * len(self.cells)

    @property
    def set_encodings(self) -> Mapping[str, CellEncoding]:
        """The fields of split sets, with the columns of one; none are split here."""
        return {}

    @property
    def elements(self) -> Mapping[str, int]:
        """The fields of split sets, with how many elements one had at most."""
        return {}

    @property
    def places(self) -> Sequence[int]:
        """The place of each column's cell among all cells."""
        return range(len(self.cells))

    @property
    def families(self) -> tuple[str, ...]:
        """The name of the family of each cell: those of one have the same values."""
        return tuple(cell.field for cell in self.cells)

    def require_cell(self, name: str, value: Any) -> None:
        """Refuse a value that the class of states does not have in a cell of a field.

        Raises:
            ModelError: with what the class says of it.
        """
        fault_in = getattr(self.state_class, "fault_in_cell_", None)
        fault = fault_in and fault_in(name, value)
        if fault:
            raise ModelError(fault)

    def values(self, state: Any) -> tuple[Any, ...]:
        """The values of all cells of a state, in layout order.

        Raises:
            ModelError: if the state is of another class or shape.
        """
        if type(state) is not self.state_class:
            raise ModelError(
                f"a step led to a {type(state).__name__}, expected a state of class"
                f" {self.state_class.__name__}: actions yield `state.evolve(...)`"
            )
        found: list[Any] = []
        for name, shape in self.shapes.items():
            value = getattr(state, name)
            if not _gather(value, shape, found):
                raise ModelError(
                    f"the field `{name}` of a state is {value!r}, and in the first"
                    f" initial state {_difference(name, value, shape)}"
                )
        return tuple(found)

    def changes(self, before: Any, after: Any) -> list[tuple[int, Any]]:
        """The columns in which a state has another object than one before it; with it.

        Raises:
            ModelError: as `values` does.
        """
        found: list[tuple[int, Any]] = []
        is_alike = type(after) is type(before) and all(
            _compare(getattr(before, name), getattr(after, name), shape, found)
            for name, shape in self.shapes.items()
        )
        if not is_alike:
            self.values(after)
        return found

    def differing(self, first: Any, second: Any) -> list[str]:
        """Name of the field of each cell in which two states differ."""
        values = zip(self.cells, self.values(first), self.values(second), strict=True)
        return [cell.field for cell, here, there in values if here != there]

    def build(self, like: Any, values: tuple[Any, ...]) -> Any:
        """The state with these cell values and the constants of ``like``."""
        found = {name: _filled(shape, values) for name, shape in self.shapes.items()}
        return attrs.evolve(like, **found)


def allow(value: Any) -> None:
    """Let a value be where it is."""


def initial_states(model: Model[Any]) -> tuple[list[Any], Layout]:
    """Initial states of a model, in its order, and the layout that they share.

    Raises:
        ModelError: if there are none, one has another shape than the first, or they
            differ in a constant, which is no part of what tells states apart.
    """
    states = list(model.initial_states())
    if not states:
        raise ModelError(f"the model {model.name} has no initial state")
    first, *others = states
    layout = Layout.of(first)
    for state in others:
        layout.values(state)
        for name in layout.constants:
            here, there = getattr(first, name), getattr(state, name)
            if here is not there and here != there:
                raise ModelError(
                    f"the constant `{name}` is {here!r} in the first initial state and"
                    f" {there!r} in another: a constant tells no states apart; make it"
                    " a cell"
                )
    return states, layout


def _indexes(value: Any) -> Iterator[tuple[int, ...]]:
    if not isinstance(value, tuple):
        yield ()
        return
    for position, element in enumerate(value):
        for rest in _indexes(element):
            yield (position, *rest)


def _gather(value: Any, shape: Shape, into: list[Any]) -> bool:
    """Append the cells of a field; False if it has another shape."""
    if isinstance(shape, int):
        into.append(value)
        return not isinstance(value, tuple)
    if type(value) is not tuple:
        return False
    if isinstance(shape, slice):
        into.extend(value)
        is_flat = not any(issubclass(kind, tuple) for kind in set(map(type, value)))
        return is_flat and len(value) == shape.stop - shape.start
    return len(value) == len(shape) and all(
        _gather(element, part, into) for element, part in zip(value, shape, strict=True)
    )


def _compare(
    before: Any, after: Any, shape: Shape, into: list[tuple[int, Any]]
) -> bool:
    """Append the cells of a field that are other objects; False for another shape."""
    if after is before:
        return True
    if isinstance(shape, int):
        into.append((shape, after))
        return not isinstance(after, tuple)
    if type(after) is not tuple or len(after) != len(before):
        return False
    if isinstance(shape, tuple):
        return all(map(_compare, before, after, shape, repeat(into)))
    return all(map(_compare, before, after, count(shape.start), repeat(into)))


def _difference(name: str, value: Any, shape: Shape) -> str:
    """Tell how a field was at first, where its cells have another shape now."""
    if type(value) is not tuple:
        return f"`{name}` is a tuple: a family of cells stays one"
    if isinstance(shape, int):
        return (
            f"`{name}` is no tuple, which has one cell for each element: put what has"
            " several parts into a value class of its own"
        )
    parts = range(shape.start, shape.stop) if isinstance(shape, slice) else iter(shape)
    differences = (
        _difference(f"{name}[{index}]", element, part)
        for index, (element, part) in enumerate(zip(value, parts, strict=False))
        if not _gather(element, part, [])
    )
    return next(
        differences,
        f"`{name}` has another length: a family keeps its length; put a sequence that"
        " grows into a value class of its own",
    )


def _shape(name: str, value: Any, columns: Iterator[int]) -> Shape:
    if not isinstance(value, tuple):
        return next(columns)
    if type(value) is not tuple:
        raise ModelError(
            f"the field `{name}` of a state holds {value!r}, a named tuple: a state has"
            " one cell for each element of a tuple, so its class would be lost; put it"
            " into a frozen attrs class"
        )
    shapes = tuple(_shape(name, element, columns) for element in value)
    single = [shape for shape in shapes if isinstance(shape, int)]
    if single and len(single) == len(shapes):
        return slice(single[0], single[-1] + 1)
    return shapes


def _filled(shape: Shape, values: tuple[Any, ...]) -> Any:
    if isinstance(shape, tuple):
        return tuple([_filled(part, values) for part in shape])
    return values[shape]
