"""Prefix tables: values that hold a sequence, as other processes can read them.

A queue mostly differs from another known one by its last element. So a table has each
prefix once, whatever the number of values that begin with it.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import Numbers


@frozen(eq=False)
class PrefixTable:
    """Values of one class as rows: a row is an earlier row with one more element.

    The first rows are ``starts``, values without an element in ``field``. Row
    ``len(starts) + i`` is row ``before[i]`` with ``elements[lasts[i]]`` at the end.
    ``values`` are the rows of the values, in their order.
    """

    field: str
    starts: tuple[Any, ...]
    elements: tuple[Any, ...]
    before: Numbers
    lasts: Numbers
    values: Numbers

    def __len__(self) -> int:
        """The number of values."""
        return len(self.values)

    def value(self, index: int) -> Any:
        """One of the values, made anew."""
        row, elements = self.values.item(index), list[Any]()
        while row >= len(self.starts):
            place = row - len(self.starts)
            elements.append(self.elements[self.lasts.item(place)])
            row = self.before.item(place)
        start = self.starts[row]
        field = attrs.fields_dict(type(start))[self.field]
        changes = {field.alias or field.name: tuple(elements[::-1])}
        return attrs.evolve(start, **changes)

    def require_sound(self) -> None:
        """Refuse rows that are no earlier ones.

        Raises:
            ValueError: if there is one.
        """
        rows = len(self.starts) + np.arange(len(self.before))
        for numbers, bound in (
            (self.before, rows),
            (self.lasts, len(self.elements)),
            (self.values, len(self.starts) + len(self.before)),
        ):
            if ((numbers < 0) | (numbers >= bound)).any():
                raise ValueError("a row of values is no row before it")
        if any(getattr(start, self.field) != () for start in self.starts):
            raise ValueError(f"a first row has elements in {self.field}")


SentValues = tuple[Any, ...] | PrefixTable
"""Values of one dictionary as one process sends them to another."""
