"""Encoding: what a search learns otherwise than at first, since that spares something.

A set with many values has a column for each of its elements, an action with a loop is
learned for parts of it. A search finds out while it is at work, and begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from attrs import field, frozen


@frozen
class CellEncoding:
    """How the cells of a field are learned: the columns of a set for its elements."""

    columns: int
    """With one a set stays one value."""
    is_counted: bool = False
    """Whether a column says how many elements are there."""
    parted: tuple[str, ...] = ()
    """The actions that are learned for parts of a set of the field."""
    parts: int = 1
    """How many of these there are for an instance of an action, at most."""
    is_whole: bool = False
    """Whether a value is read as a whole, and written as one, whatever is asked of it.
    """

    @property
    def is_split(self) -> bool:
        """Whether a set has columns for its elements."""
        return self.columns > 1


@frozen
class Encoding:
    """How fields and actions are learned that are not learned as at first."""

    cells: Mapping[str, CellEncoding] = field(factory=dict)
    """By the names of fields."""
    loops: Mapping[str, tuple[int, int]] = field(factory=dict)
    """By the names of actions that are learned for parts of the items of their loops.

    So many by the items of outer loops, and for each of them so many by those of loops
    in them.
    """

    @classmethod
    def of_json(cls, body: Mapping[str, Any]) -> Self:
        """The encoding of which `attrs.asdict` gave this.

        Raises:
            LookupError: if something is missing.
            TypeError: if something else is there.
        """
        cells = {
            name: CellEncoding(**{**of, "parted": tuple(of["parted"])})
            for name, of in body["cells"].items()
        }
        loops = {name: (outer, inner) for name, (outer, inner) in body["loops"].items()}
        return cls(cells, loops)

    def __or__(self, later: Encoding) -> Encoding:
        """The encoding that is as a later one says, and else as it was."""
        return Encoding({**self.cells, **later.cells}, {**self.loops, **later.loops})


AT_FIRST = Encoding()
"""Each cell has one column, and each instance of an action is learned as a whole."""


class EncodedOtherwise(BaseException):
    """Something is to be learned otherwise, and the search is to begin anew.

    No `Exception`, so that a function of the model does not catch it.
    """

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self.encoding = encoding
        """How it is to be learned."""

    def __reduce__(self) -> tuple[type[EncodedOtherwise], tuple[Encoding]]:
        """How another process makes the same error."""
        return EncodedOtherwise, (self.encoding,)
