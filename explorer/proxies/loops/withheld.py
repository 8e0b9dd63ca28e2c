"""Sets that a filter is not given, lest all of one be read for a test of an item."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn


class Withheld(Enum):
    """What stands for a set among the values that a filter is given."""

    SET = "a set"


class AskedInVain(BaseException):
    """A test asked a set that is withheld.

    No `Exception`, so that what the test calls does not catch it.
    """


class WithheldSet:
    """A set of which a test can ask nothing."""

    @property
    def __class__(self) -> type:
        raise AskedInVain

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise AskedInVain

    def __getattr__(self, name: str) -> NoReturn:
        raise AskedInVain


def _ask(withheld: WithheldSet, *arguments: Any) -> NoReturn:
    raise AskedInVain


OPERATORS = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "xor", "or"),
)
ASKED = (
    *("eq", "ne", "lt", "le", "gt", "ge", "hash", "bool", "repr", "str", "format"),
    *("len", "length_hint", "iter", "next", "reversed", "contains", "call", "dir"),
    *("getitem", "setitem", "delitem", "enter", "exit", "setattr", "delattr"),
    *("neg", "pos", "abs", "invert", "int", "float", "complex", "index", "bytes"),
    *("round", "trunc", "floor", "ceil", "fspath", "sizeof", "reduce", "reduce_ex"),
    *(form + name for name in OPERATORS for form in ("", "r", "i")),
)
for _name in ASKED:
    setattr(WithheldSet, f"__{_name}__", _ask)


def withheld(value: Any) -> Any:
    """What a test is given for a value: it, or a set that cannot be asked."""
    return WithheldSet() if value is Withheld.SET else value
