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


for _name in (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
    *("__bool__", "__len__", "__iter__", "__contains__"),
    *("__repr__", "__str__", "__format__"),
):
    setattr(WithheldSet, _name, _ask)


def withheld(value: Any) -> Any:
    """What a test is given for a value: it, or a set that cannot be asked."""
    return WithheldSet() if value is Withheld.SET else value
