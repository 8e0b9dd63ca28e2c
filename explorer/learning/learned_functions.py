"""The functions that a search learns: actions, constraints, instances of properties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.learning.parts.claim_parts import ClaimParts
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.proxies.probes import HasRead
from replicheck.explorer.proxies.state_proxy import StateProxy

if TYPE_CHECKING:
    from replicheck.explorer.proxies.items.item_choice import ItemPart
    from replicheck.explorer.proxies.split.parted_set import ElementPart


class Role(Enum):
    """What an instance is for."""

    ACTION = "action"
    PROPERTY = "property"
    CONSTRAINT = "constraint"


@frozen
class LearnedFunction:
    """An instance with what it is for; an instance belongs to a property."""

    instance: Instance
    role: Role
    property: Property | None = None
    part: ElementPart | ItemPart | None = None
    """Of an action that is parted, which part of its steps this is."""

    def is_reported(self, answer: object) -> bool:
        """Tell whether an instance's answer is to be noted: a violation, a witness."""
        is_witness = self.property is not None and self.property.kind is Kind.SOMETIMES
        return bool(answer) is is_witness


def parts_of(functions: Sequence[LearnedFunction], number: int) -> range:
    """The numbers of the functions that together are what one is a part of."""
    part = functions[number].part
    if part is None:
        return range(number, number + 1)
    first = number - part.number
    return range(first, first + part.count)


def without_later_parts(functions: Sequence[LearnedFunction]) -> list[int]:
    """The numbers of functions, but of those with parts only of the first part."""
    return [
        number
        for number, function in enumerate(functions)
        if function.part is None or not function.part.number
    ]


def functions_of(
    model: Model[Any], properties: Iterable[Property], parts: ClaimParts
) -> Iterator[LearnedFunction]:
    """Yield actions, constraints and the instances that are judged state by state.

    In place of an instance of an invariant, or of a constraint, come its parts, if it
    has some.
    """
    for instance in instances(model.actions, model.domains):
        yield LearnedFunction(instance, Role.ACTION)
    for whole in instances(model.constraints, model.domains):
        for instance in parts.of(whole):
            yield LearnedFunction(instance, Role.CONSTRAINT)
    for claim in properties:
        if claim.kind in (Kind.ALWAYS, Kind.SOMETIMES):
            for whole in claim.instances(model.domains):
                is_divided = claim.kind is Kind.ALWAYS
                for instance in parts.of(whole) if is_divided else [whole]:
                    yield LearnedFunction(instance, Role.PROPERTY, claim)


def idle_apart(
    functions: Iterable[LearnedFunction], unread: StateProxy
) -> tuple[list[LearnedFunction], list[LearnedFunction]]:
    """The functions that may report something, and those that never do.

    ``unread`` is a proxy with a `RefusingReader`.
    """
    kept: list[LearnedFunction] = []
    idle: list[LearnedFunction] = []
    for function in functions:
        (idle if never_reports(function, unread) else kept).append(function)
    return kept, idle


def never_reports(function: LearnedFunction, unread: StateProxy) -> bool:
    """Tell whether an instance is disabled, or holds, without reading anything.

    ``unread`` is a proxy with a `RefusingReader`.
    """
    try:
        return not _has_report(function, unread)
    except (Exception, HasRead):
        return False


def _reports(function: LearnedFunction, state: Any) -> bool:
    """Tell whether an instance is enabled, or has something to tell, in a plain state.

    If it raises, it has.
    """
    try:
        return _has_report(function, state)
    except HasRead:
        raise kept_state(function.instance) from None
    except Exception:
        return True


def require_idle(functions: Iterable[LearnedFunction], states: Sequence[Any]) -> None:
    """Refuse functions that read nothing of a proxy, and report in a plain state.

    Raises:
        ModelError: naming the first, and the state.
    """
    for function in functions:
        for state in states:
            if _reports(function, state):
                raise ModelError(
                    f"`{function.instance.label}` differs between a plain state and a"
                    " recording view of it, on which it reads nothing. It looks at the"
                    f" class of a cell, or of the state. The state: {state}"
                )


def kept_state(instance: Instance) -> ModelError:
    """The error of a function that reads a state which it got in an earlier run."""
    return ModelError(
        f"`{instance.label}` reads a state that a function was given in an earlier run,"
        " and that was kept in a global variable or a closure: read the arguments, and"
        " nothing else"
    )


def _has_report(function: LearnedFunction, state: Any) -> bool:
    if function.role is Role.ACTION:
        return any(True for _ in function.instance(state))
    return function.is_reported(function.instance(state))
