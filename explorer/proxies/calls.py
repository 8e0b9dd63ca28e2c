"""Calls as values: an attribute or a method of a cell's value, with its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import frozen

from replicheck.explorer.states.exact_equality import are_comparable
from replicheck.explorer.states.value_parts import FILTERED

Call = tuple[str, tuple[Any, ...]]
"""The name of an attribute or method, and the arguments (none for an attribute).

Those that were given by name follow, as `Keywords`; then, if there is one, the
`Distinction` of the arguments: two calls are equal only if their arguments are alike.
"""
WHOLE: Call = ("", ())
"""The read of a cell as a whole."""
EQUALS = "__eq__"
"""The name that asks whether a value equals the argument."""
UNCHANGED_BY = "__unchanged_by__"
"""The name that asks whether the operations given as arguments change a value."""
AFTER = "__after__"
"""The name that asks what a value answers to a call after operations.

The arguments are the calls of the operations, and that call.
"""
WITH_PARTS = "__with_parts__"
"""The name of a call of which arguments are what calls make of the value itself.

An operation has parts of the value among its arguments, a question what operations
make of it. The first argument is the name of a method, or none to make a value anew;
the others are those of the method or the class, with `Derived` ones among them.
"""
SLICE = "__slice__"
"""The name of the operation that takes a slice; its arguments are those of `slice`.

Before Python 3.12 a slice cannot be hashed.
"""


class QuestionRaised(BaseException):
    """What a function asked of a cell raised.

    No `Exception`, so that the function does not catch it and read on.
    """


class NoMoreSteps(BaseException):
    """The part of an action that runs has no step from here on; another part has."""


@frozen
class Derived:
    """An argument that calls, one after the other, make of the value itself."""

    calls: tuple[Call, ...]

    def __repr__(self) -> str:
        """The calls as in Python."""
        return "".join(map(call_text, self.calls))


@frozen
class Keywords:
    """The arguments of a call that were given by name."""

    items: tuple[tuple[str, Any], ...]

    def __repr__(self) -> str:
        """The arguments as in a call."""
        return ", ".join(f"{name}={value!r}" for name, value in self.items)


@frozen
class Distinction:
    """What `==` does not see of the arguments of a call; see `exact_equality`."""

    mark: Any


def given(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call as they were given, without their distinction."""
    is_marked = arguments and type(arguments[-1]) is Distinction
    return arguments[:-1] if is_marked else arguments


def apply_calls(value: Any, calls: Iterable[Call]) -> Any:
    """Apply a chain of operations to a value, behind the attributes that lead to it."""
    for name, arguments in calls:
        if name == WITH_PARTS:
            value = _with_parts(value, given(arguments))
            continue
        if name == SLICE:
            value = value[slice(*given(arguments))]
            continue
        member = getattr(value, name)
        value = call_with(member, arguments) if callable(member) else member
    return value


def _with_parts(value: Any, arguments: tuple[Any, ...]) -> Any:
    name, *others = arguments
    method = getattr(value, name) if name else type(value)
    return call_with(method, tuple(_derived(value, argument) for argument in others))


def _derived(value: Any, argument: Any) -> Any:
    if type(argument) is Derived:
        return apply_calls(value, argument.calls)
    if type(argument) is Keywords:
        return Keywords(tuple((n, _derived(value, part)) for n, part in argument.items))
    return argument


def call_with(method: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a method with the arguments of a `Call`."""
    arguments = given(arguments)
    if arguments and type(arguments[-1]) is Keywords:
        return method(*arguments[:-1], **dict(arguments[-1].items))
    return method(*arguments)


def evaluate_call(value: Any, call: Call) -> Any:
    """Evaluate an attribute or a call, also a special one, on a value."""
    name, arguments = call
    if name == UNCHANGED_BY:
        return bool(apply_calls(value, arguments) == value)
    if name == AFTER:
        operations, asked = arguments
        return evaluate_call(apply_calls(value, operations), asked)
    if name == WITH_PARTS:
        return _with_parts(value, given(arguments))
    if name == FILTERED and not hasattr(value, FILTERED):
        return _filtered(value, given(arguments))
    member = getattr(value, name)
    return call_with(member, arguments) if callable(member) else member


def _filtered(value: Any, arguments: tuple[Any, ...]) -> frozenset[Any]:
    items = value if isinstance(value, frozenset) else getattr(value, value.MEMBERS)
    keeps, *values = arguments
    if keeps.compares_items and not are_comparable(items):
        return frozenset(items)
    return frozenset([item for item in items if keeps(item, *values)])


def asked_of(call: Call) -> str:
    """The name of a question, also of one after operations."""
    name, arguments = call
    return asked_of(arguments[1]) if name == AFTER else name


def call_text(call: Call) -> str:
    """The text of an attribute, or of a call with its arguments, as in Python."""
    name, arguments = call
    if not name:
        return ""
    if name == EQUALS:
        return f" == {arguments[0]!r}"
    if name == UNCHANGED_BY:
        return f" unchanged by {''.join(map(call_text, arguments))}"
    if name == AFTER:
        operations, asked = arguments
        return "".join(map(call_text, (*operations, asked)))
    if name == SLICE:
        return f"[{':'.join('' if at is None else str(at) for at in arguments[:2])}]"
    if name == WITH_PARTS:
        return call_text((arguments[0] or " made anew ", arguments[1:]))
    if name == FILTERED:
        return f" in `{arguments[0]!r}`"
    inside = ", ".join(map(repr, given(arguments)))
    return f".{name}({inside})" if inside else f".{name}"
