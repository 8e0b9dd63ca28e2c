"""Symmetry: states that differ by a renaming only count as one.

The fingerprint of a state is then the least of those of its renamings; the state that
stands for the others is the first that is found, so a trace is a run as it is. A model
says which renamings leave it as it is; that this is true is checked on sampled states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.states.fingerprint import GOLDEN, MASK, Hasher
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.value_parts import SetClass, parts_of, set_class_of

Hashes = npt.NDArray[np.uint64]


class Reduction(Enum):
    """What a search makes of the symmetries of its model."""

    NONE = "every state counts"
    SYMMETRY = "states that are renamings of one another count as one"


MOST_RENAMINGS = 5_039
"""Seven ids that are alike have so many; each is a column of hashes of all values."""


def renamings_of(model: Model[Any], reduction: Reduction) -> tuple[Symmetry, ...]:
    """The renamings of a model by which a search reduces its states.

    Raises:
        ModelError: if there are more than `MOST_RENAMINGS`.
    """
    if reduction is Reduction.NONE:
        return ()
    found = tuple(islice(model.symmetries, MOST_RENAMINGS + 1))
    if len(found) > MOST_RENAMINGS:
        raise ModelError(
            f"the model {model.name} has more than {MOST_RENAMINGS:,} renamings, as"
            " many as seven ids that are alike have: choose smaller bounds, or search"
            " without symmetry"
        )
    if not all(hasattr(renaming, "then") for renaming in found):
        raise ModelError(
            f"a renaming of the model {model.name} has no `then`, which gives the"
            " renaming that is this one and then another one"
        )
    return found


def renamed(layout: Layout, state: Any, symmetry: Symmetry) -> Any:
    """The state with every name in it replaced."""
    values = layout.values(state)
    moved = list(values)
    for column, cell in enumerate(layout.cells):
        target = Cell(cell.field, symmetry.cell(cell.field, cell.index))
        moved[layout.columns[target]] = symmetry.value(values[column])
    return layout.build(state, tuple(moved))


@frozen
class Product:
    """A renaming that is an earlier one and then a generator, by their numbers.

    The identity is number 0, and `renamings_of` gives the others in their order.
    """

    number: int
    earlier: int
    generator: int


def products(symmetries: Sequence[Symmetry]) -> tuple[Product, ...]:
    """Every renaming as a product; the earlier one of each has come by then."""
    return tuple(_products(symmetries))


def _spread(number: int) -> int:
    """A number by which neighbours come far apart: few of such make all others."""
    return number * GOLDEN & MASK


def _products(symmetries: Sequence[Symmetry]) -> Iterator[Product]:
    numbers = {symmetry: number for number, symmetry in enumerate(symmetries, start=1)}
    generators: list[int] = []
    reached = {0}
    for generator in sorted(numbers.values(), key=_spread):
        if generator in reached:
            continue
        generators.append(generator)
        reached.add(generator)
        yield Product(generator, 0, generator)
        left = [number for number in reached if number]
        while left:
            earlier = left.pop()
            for by in generators:
                product = symmetries[earlier - 1].then(symmetries[by - 1])
                number = numbers.get(product)
                if number is not None and number not in reached:
                    reached.add(number)
                    left.append(number)
                    yield Product(number, earlier, by)


class ValueRenaming(Protocol):
    """What a renaming makes of values; see `Symmetry`."""

    def value(self, value: Any) -> Any:
        """The value with every name in it replaced."""


@frozen
class ItemRenaming:
    """A renaming of the parts of a set: of each of its items, alone in a tuple."""

    renaming: ValueRenaming
    set_class: SetClass

    def value(self, value: Any) -> Any:
        """The renamed part."""
        if type(value) is not tuple:
            return self.renaming.value(value)
        renamed = self.renaming.value(self.set_class.value(value))
        return tuple(self.set_class.items("a renamed set", renamed))


class Images:
    """What values become by renamings, each worked out once by each generator.

    Many renamings make the same of a value with few names in it.
    """

    def __init__(
        self,
        renamings: Sequence[ValueRenaming],
        made_of: Sequence[Product],
        hasher: Hasher,
    ) -> None:
        self._renamings, self._products = renamings, made_of
        self._hasher = hasher
        self._values: list[Any] = []
        self._hashes: list[int] = []
        self._places: dict[int, int] = {}
        """The places of values by their hashes."""
        self._renamed: dict[tuple[int, int], int] = {}
        """The place of an image, by that of the value and the generator's number."""
        self._rows: dict[int, Hashes] = {}
        self._of_items: dict[SetClass, Images] = {}
        self._compared = 0

    @property
    def count(self) -> int:
        """The number of images of a value, itself among them."""
        return 1 + len(self._renamings)

    def of_parts(self, value: Any) -> list[Hashes]:
        """The stable hashes of the parts of a value and of each renaming of it.

        A renaming of a set renames its items, each by itself.

        Raises:
            ModelError: if a renaming does something else.
        """
        set_class = set_class_of(value)
        images = self if set_class is None else self.of_items(set_class)
        found = [images.hashes(part) for part in parts_of(value)]
        self._compared += 1
        number = 1 + _spread(self._compared) % len(self._renamings)
        renaming = self._renamings[number - 1]
        renamed = map(self._hasher.value, parts_of(renaming.value(value)))
        if sorted(renamed) != sorted(int(row[number]) for row in found):
            raise ModelError(
                f"{renaming} makes {renaming.value(value)} of {value}, and something"
                " else of its items, or as the product of two renamings: a renaming of"
                " a set renames each item by itself, and `then` is one renaming after"
                " another"
            )
        return found

    def of_items(self, set_class: SetClass) -> Images:
        """The images of the items of sets of a class."""
        if set_class not in self._of_items:
            renamings = [ItemRenaming(known, set_class) for known in self._renamings]
            self._of_items[set_class] = Images(renamings, self._products, self._hasher)
        return self._of_items[set_class]

    def hashes(self, value: Any) -> Hashes:
        """The stable hashes of a value and of its image under each renaming."""
        place = self._place(value)
        if place not in self._rows:
            hashes = [self._hashes[image] for image in self._images(place)]
            self._rows[place] = np.array(hashes, np.uint64)
        return self._rows[place]

    def _images(self, place: int) -> list[int]:
        """The places of the images of a value, in the order of the renamings."""
        found = [place] * self.count
        known = self._renamed
        for product in self._products:
            step = found[product.earlier], product.generator
            image = known.get(step)
            if image is None:
                value = self._values[step[0]]
                image = self._place(self._renamings[step[1] - 1].value(value))
                known[step] = image
            found[product.number] = image
        return found

    def _place(self, value: Any) -> int:
        value_hash = self._hasher.new_value(value)
        place = self._places.setdefault(value_hash, len(self._values))
        if place == len(self._values):
            self._values.append(value)
            self._hashes.append(value_hash)
        return place
