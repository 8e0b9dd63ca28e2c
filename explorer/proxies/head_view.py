"""Views of a sequence's head or length: tell whether a question looks at more.

A question about a queue is mostly one about its first element, and then has the same
answer for all queues that begin alike; or it is one about its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from replicheck.explorer.proxies.calls import Call, evaluate_call
from replicheck.explorer.states.exact_equality import are_exactly_equal, fields_compared


class LooksBehind(BaseException):
    """A question looks at more than the view shows.

    No `Exception`, so that the question does not catch it and go on.
    """


class HeadView:
    """Stands for a tuple; shows whether it is empty, and its first element."""

    __slots__ = ("_looked_behind", "_parts")

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self._parts, self._looked_behind = parts, False

    def __bool__(self) -> bool:
        return bool(self._parts)

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and index == 0:
            return self._parts[0]
        return self._refuse()

    def _refuse(self, *arguments: object, **named: object) -> NoReturn:
        self._looked_behind = True
        raise LooksBehind

    @property
    def __class__(self) -> type:
        return self._refuse()

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        return self._refuse()


class LengthView(HeadView):
    """Stands for a tuple; shows how long it is."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: Any) -> Any:
        return self._refuse()


_REFUSED = (
    *("len", "iter", "contains", "reversed", "hash", "repr", "str", "format"),
    *("eq", "ne", "lt", "le", "gt", "ge", "add", "radd", "mul", "rmul", "mod", "rmod"),
    *("reduce", "reduce_ex", "dir", "sizeof", "copy", "deepcopy"),
)
for _name in _REFUSED:
    setattr(HeadView, f"__{_name}__", HeadView._refuse)
# So that `match` asks for the length, as it does of a tuple.
Sequence.register(HeadView)


def asks_only(
    kind_of_view: type[HeadView], value: Any, sequence: str, call: Call
) -> bool:
    """Tell whether a question looks at no more of a sequence than a view of it shows.

    What it looks at beside the sequence does not count.
    """
    kind: Any = type(value)
    parts = getattr(value, sequence)
    if type(parts) is not tuple:
        return False
    view = kind_of_view(parts)
    seen = object.__new__(kind)
    for name in fields_compared(kind):
        part = view if name == sequence else getattr(value, name)
        object.__setattr__(seen, name, part)
    try:
        answer = evaluate_call(seen, call)
    except (Exception, LooksBehind):
        return False
    if object.__getattribute__(view, "_looked_behind"):
        return False
    try:
        return are_exactly_equal(evaluate_call(value, call), answer)
    except (Exception, LooksBehind):
        return False
