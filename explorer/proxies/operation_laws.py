"""Laws of operations: what a class of values says of its ends, and of any order.

A class whose values are queues may name, in two class attributes, its methods and
attributes ``AT_END`` and ``AT_HEAD``, and have a method ``is_empty``. For a value that
is not empty, every operation *a* at the end, and every operation *h* and every question
*q* at the head, it promises that none of them raises because of the other one, that
``v.a().h() == v.h().a()``, that ``v.a().q() == v.q()``, and that ``v.a()`` is not
empty. The promises are of one operation at the head, since after it there may be no
head; of several operations at the end they follow.

In ``TRUE_OF_OPERATIONS`` it may name methods *c* that ask what becomes of the value,
and promise that ``v.c(v.x())`` is ``True`` for any value *v* and any operation *x* of
the class, or any number of operations at the end, that does not raise.

In ``SEQUENCE`` it may name the field, a tuple, of which these are the ends. Then every
operation at the end adds the same elements to the end of that field, whatever they are
added to, and changes no other field. With the promises above, an operation at the head
leaves what is behind the first element as it is. So no more than the ends have to be
asked what becomes of a value.

In ``COMMUTING`` any class of values may name operations, and promise of two calls *a*
and *b* of them, with whatever arguments, that ``v.a().b() == v.b().a()`` for any value
*v*, and that neither raises because of the other one.

What a class promises holds for a class derived from it, unless that has one of the
named methods or ``is_empty`` anew, or its values are not as they are given: a validator
may refuse what is appended. Such a class has only the promises that it names itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import ModelError, message_of
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    AT_HEAD,
    COMMUTING,
    NO_LAW,
)
from replicheck.explorer.proxies.calls import (
    WITH_PARTS,
    Call,
    Derived,
    apply_calls,
    call_text,
    evaluate_call,
    given,
)
from replicheck.explorer.states.value_parts import is_as_given


@frozen
class OperationLaws:
    """What the class of a cell's values names; but for one thing, of queues alone."""

    at_end: frozenset[str] = frozenset()
    at_head: frozenset[str] = frozenset()
    true_of_operations: frozenset[str] = frozenset()
    commuting: frozenset[str] = frozenset()
    sequence: str | None = None

    @classmethod
    def of(cls, value: Any) -> OperationLaws:
        """The laws of the class of a value."""
        kind = type(value)
        sequence: str | None = getattr(kind, "SEQUENCE", None)
        return cls(
            _promised(kind, "AT_END"),
            _promised(kind, "AT_HEAD"),
            _promised(kind, "TRUE_OF_OPERATIONS"),
            _promised(kind, "COMMUTING"),
            sequence,
        )

    @property
    def are_known(self) -> bool:
        """Tell whether the values are queues."""
        return bool(self.at_end)

    def law_of(self, calls: Sequence[Call]) -> int:
        """The law of an operation: AT_END, AT_HEAD, COMMUTING or NO_LAW."""
        names = {name for name, _ in calls}
        if names <= self.at_end:
            return AT_END
        if len(calls) == 1 and names <= self.at_head:
            return AT_HEAD
        return COMMUTING if names <= self.commuting else NO_LAW

    def is_of_head(self, call: Call) -> bool:
        """Tell whether a question asks for the head alone."""
        return call[0] in self.at_head

    def is_true(self, call: Call) -> bool:
        """Tell whether a question is promised to be answered by True."""
        name, arguments = call
        if name != WITH_PARTS:
            return False
        asked, *later = given(arguments)
        return asked in self.true_of_operations and all(map(self._is_promised, later))

    def _is_promised(self, argument: object) -> bool:
        """Tell whether an argument is made by operations that the promise is about."""
        if type(argument) is not Derived:
            return False
        calls = argument.calls
        is_single = len(calls) == 1 and not calls[0][0].startswith("__")
        return is_single or self.law_of(calls) == AT_END

    def has_head(self, value: Any) -> bool:
        """Tell whether a value is a queue that is not empty.

        Raises:
            ModelError: if a queue does not say whether it is.
        """
        if not self.are_known:
            return False
        try:
            return not value.is_empty()
        except Exception as error:
            name = type(value).__name__
            raise ModelError(
                f"`{name}` names `AT_END`, but `{name}.is_empty()` raised"
                f" {message_of(error)}: have it tell whether there is a head, or take"
                " `AT_END` out"
            ) from error

    def false_promise(
        self, value: Any, left: Sequence[Call], right: Sequence[Call]
    ) -> ModelError:
        """The error about two operations, or one and a question, not so for a value."""
        first, second = (
            f"`{''.join(map(call_text, calls))}`" for calls in (left, right)
        )
        if self.law_of(left) == COMMUTING:
            promise = (
                f"in `COMMUTING` that {first} and {second} come to the same in any"
                " order, and that neither raises because of the other one"
            )
        else:
            promise = (
                f"in `AT_END` and `AT_HEAD` that {first} changes nothing for {second},"
                " nor that for it, where there is a head"
            )
        return ModelError(
            f"`{type(value).__name__}` promises {promise}. It is not so for {value!r}:"
            " take one of the two out"
        )


NOT_OF_THE_MODEL = (MemoryError, RecursionError)
"""What the machine raises of a value that is too large to be asked."""
RAISED = object()
"""What comes of an operation or a question that raises."""


def operations_in_orders(
    value: Any, left: Sequence[Call], right: Sequence[Call]
) -> list[tuple[Any, Any]]:
    """What two operations make of a value, and whether they raise.

    Each pair is of two things that are promised to be the same.

    Raises:
        MemoryError, RecursionError: if the value is too large for that.
    """
    first, second = _made(value, left), _made(value, right)
    ends, others = _made(first, right), _made(second, left)
    found: list[tuple[Any, Any]] = []
    if first is not RAISED:
        found.append((second is RAISED, ends is RAISED))
    if second is not RAISED:
        found.append((first is RAISED, others is RAISED))
    if ends is not RAISED and others is not RAISED:
        found.append((ends, others))
    return found


def question_in_orders(
    value: Any, operation: Sequence[Call], question: Sequence[Call]
) -> list[tuple[Any, Any]]:
    """What a question is answered before and after an operation, if that is done.

    Raises:
        MemoryError, RecursionError: if the value is too large for that.
    """
    after = _made(value, operation)
    if after is RAISED:
        return []
    return [(_answered(value, question[0]), _answered(after, question[0]))]


def _made(value: Any, operation: Sequence[Call]) -> Any:
    """What an operation makes of what an earlier one made."""
    if value is RAISED:
        return RAISED
    try:
        return apply_calls(value, operation)
    except NOT_OF_THE_MODEL:
        raise
    except Exception:
        return RAISED


def _answered(value: Any, question: Call) -> Any:
    try:
        return evaluate_call(value, question)
    except NOT_OF_THE_MODEL:
        raise
    except Exception:
        return RAISED


def is_own(kind: type, *promises: str) -> bool:
    """Tell whether a class of a model makes a promise, rather than one of replicheck.

    What those of replicheck promise is tested.
    """
    package = __name__.partition(".")[0]
    owners = [_owner(kind, promise) for promise in promises]
    return any(owner.__module__.partition(".")[0] != package for owner in owners)


def _promised(kind: type, promise: str) -> frozenset[str]:
    """The names that a promise has for a class; none if they are not kept."""
    owner = _owner(kind, promise)
    names: frozenset[str] = frozenset(getattr(owner, promise, ()))
    if not names or owner is kind:
        return names
    needed = names | {"is_empty"}
    is_kept = all(issubclass(owner, _owner(kind, name)) for name in needed)
    return names if is_kept and is_as_given(kind) else frozenset()


def _owner(kind: type, name: str) -> type:
    """The class that has an attribute of a class; `object` if none has."""
    return next((base for base in kind.__mro__ if name in vars(base)), object)
