"""Values that make a model of one's own: states, what is in them, ids and bounds."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Self, dataclass_transform

import attrs

from replicheck.model.modelling.annotations.expected_values import fault_in_cell
from replicheck.model.modelling.arguments import require_bound, require_numbers
from replicheck.model.modelling.errors import (
    error_at,
    note_made,
    require_new,
    require_unmade,
)
from replicheck.model.state_base import Cells

HOOKS = frozenset({"__attrs_pre_init__", "__attrs_post_init__"})
"""What attrs calls for each new value, if a class or a base of it has it."""
OF_ENGINES = HOOKS | {"evolve", "__eq__", "__hash__"}
"""What the class of a state cannot have of its own."""
RESERVED = frozenset({"self", "evolve"})


class Id(int):
    """A number that names one of several alike, such as a process: 0, 1, 2…

    Derive one class for each kind of thing, and say in the model's ``domains`` how many
    there are.
    """


def constant(default: Any = attrs.NOTHING) -> Any:
    """Field of a state that never changes, such as its bounds; it is no cell."""
    return attrs.field(default=default, eq=False)


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field, constant))
class State(Cells):
    """A state: each field is a cell, and a tuple has one cell for each element.

    A subclass needs annotated fields and no decorator. ``evolve`` returns a state with
    other values: ``s.evolve(leader=1, votes={voter: True})``.
    """

    __attrs_init_subclass__: ClassVar[Any] = classmethod(require_unmade)

    def __init_subclass__(cls, **options: Any) -> None:
        """Make a frozen class of the fields.

        Raises:
            ModellingError: if a field cannot be in a state.
        """
        super().__init_subclass__(**options)
        require_new(cls)
        own = vars(cls).keys() | {hook for hook in HOOKS if hasattr(cls, hook)}
        for name in sorted(OF_ENGINES & own):
            raise error_at(
                cls,
                f"{cls.__name__} has {name} of its own, and engines make and compare"
                " states by their cells alone: what must hold of a state is a property"
                " (`@model.always`), and what follows from its cells a method",
            )
        _make_frozen(cls)
        _require_plain_fields(cls)

    def evolve(self, **cells: Any) -> Self:
        """The state with other values in the named cells.

        Args:
            cells: a value for a plain field; for a tuple a mapping from index to value.
        """
        after = super().evolve(**cells)
        vars(after)["was_evolved_"] = True
        return after

    @classmethod
    def fault_in_cell_(cls, field: str, value: Any) -> str:
        """What is wrong with a value in a cell, as engines ask; empty if nothing is."""
        return fault_in_cell(cls, field, value)

    was_evolved_: ClassVar[bool] = False
    """Whether it was made by ``evolve``, as every next state is."""


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field,))
class Value:
    """A value with fields, for one cell of a state.

    Its methods are questions; one that is annotated to return ``Self`` is an operation,
    which makes another value of it. Questions and operations are what an engine learns
    fast: ask for what you want to know rather than reading all of a cell. A field with
    a frozenset, a tuple or a `Value` is asked as a cell is.
    """

    PARTS_ARE_ASKED: ClassVar[bool] = True
    __attrs_init_subclass__: ClassVar[Any] = classmethod(require_unmade)

    def __init_subclass__(cls, **options: Any) -> None:
        """Make a frozen class of the fields.

        Raises:
            ModellingError: if a field cannot be in a state.
        """
        super().__init_subclass__(**options)
        require_new(cls)
        _make_frozen(cls)

    def evolve(self, **fields: Any) -> Self:
        """The value with other contents of the named fields."""
        return attrs.evolve(self, **fields)  # type: ignore[misc]


def bound(
    default: int,
    *,
    at_least: int = 0,
    at_most: int = 255,
    fuzz: tuple[int, int] | None = None,
) -> Any:
    """Field of bounds: its default, what it may be, and the range that is fuzzed.

    Raises:
        ModellingError: if the default is none of what it may be.
    """
    require_bound(default, (at_least, at_most), fuzz)
    validators = [attrs.validators.ge(at_least), attrs.validators.le(at_most)]
    return attrs.field(default=default, validator=validators, metadata={"fuzz": fuzz})


def budget(
    default: int, *, at_most: int = 255, fuzz: tuple[int, int] | None = None
) -> Any:
    """Field of bounds that says how often a fault may happen.

    `replicheck ways` finds which budgets a violation needs.

    Raises:
        ModellingError: if the default is none of what it may be.
    """
    require_bound(default, (0, at_most), fuzz)
    validators = [attrs.validators.ge(0), attrs.validators.le(at_most)]
    metadata = {"fuzz": fuzz, "is_budget": True}
    return attrs.field(default=default, validator=validators, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(attrs.field, bound, budget))
class Bounds:
    """What makes a model finite: integers, each a `bound` with a default."""

    __attrs_init_subclass__: ClassVar[Any] = classmethod(require_unmade)

    def __init_subclass__(cls, **options: Any) -> None:
        """Make a frozen class of the fields.

        Raises:
            ModellingError: if a field is no number with a default.
        """
        super().__init_subclass__(**options)
        require_new(cls)
        require_numbers(cls)
        attrs.frozen(slots=False, getstate_setstate=True)(cls)
        note_made(cls)


class NoBounds(Bounds):
    """Bounds of a model that has none."""


def _make_frozen(cls: Any) -> None:
    if "__annotations__" not in vars(cls) and attrs.has(cls):
        # The fields are those of a base, and engines know a class by fields of its own.
        cls.__attrs_attrs__ = attrs.fields(cls)
        return
    for name, hint in inspect.get_annotations(cls).items():
        if "ClassVar" not in str(hint):
            _require_field_name(cls, name)
    try:
        attrs.frozen(slots=False, getstate_setstate=True)(cls)
    except ValueError as error:
        # That is what is wrong with fields whose annotations and values Python takes.
        raise error_at(
            cls,
            f"a field of {cls.__name__} without a default comes behind one that has"
            " a default: put it first, or give it one",
        ) from error
    note_made(cls)


def _require_plain_fields(cls: Any) -> None:
    """Refuse a state with a field that is not simply what is given."""
    for field in attrs.fields(cls):
        for what, is_there, how in (
            ("a converter", field.converter, "convert where the value is made"),
            ("a validator", field.validator, "claim it of the state, `@model.always`"),
            ("init=False", not field.init, "write a method that works it out"),
        ):
            if is_there:
                raise error_at(
                    cls,
                    f"the field {cls.__name__}.{field.name} has {what}, which engines"
                    f" do not heed where they make states: {how}",
                )


def _require_field_name(cls: type, name: str) -> None:
    """Refuse a field whose name means something to engines, or to attrs."""
    if name in RESERVED:
        raise error_at(
            cls,
            f"no field can have the name {name}: give that of {cls.__name__} another",
        )
    if name.startswith("_") or name.endswith("_"):
        bare = name.removeprefix(f"_{cls.__name__}").strip("_")
        raise error_at(
            cls,
            f"the field {cls.__name__}.{name} begins or ends with an underscore, as"
            f" names do that engines use: write {bare or 'a word'}",
        )
