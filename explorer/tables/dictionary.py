"""Dictionary encoding: the values that cells have had so far, as small numbers.

All cells of a family share a dictionary. A value keeps its number for the whole search;
numbers depend on the order of discovery, hashes do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import Indices, Numbers, U64Array
from replicheck.explorer.states.exact_equality import (
    another_class,
    are_exactly_equal,
    unhashable,
    unlike_values,
)
from replicheck.explorer.states.fingerprint import Hasher, NoCanonicalForm
from replicheck.explorer.states.layout import allow
from replicheck.explorer.states.symmetry import Images
from replicheck.explorer.states.value_parts import (
    has_items,
    kinds_of_parts,
    parts_of,
    require_parts,
)
from replicheck.explorer.tables.value_keys import Key, Unlike, ValueKeys

if TYPE_CHECKING:
    from replicheck.explorer.tables.sequences.prefix_table import SentValues
    from replicheck.explorer.tables.sequences.sequence_tree import SequenceTree

FIRST_CAPACITY = 16
GROWTH = 2


class Dictionary:
    """The values of one family of cells.

    ``hashes[i, p]`` is the stable hash of value ``i`` under renaming ``p``; 0 is none.
    """

    def __init__(self, name: str, hasher: Hasher, images: Images | None = None) -> None:
        self.name = name
        self.require: Callable[[Any], None] = allow
        """What refuses a new value that must not be there."""
        self._plain_values: list[Any] = []
        self.values: Sequence[Any] = self._plain_values
        self.tree: SequenceTree | None = None
        """The values of a class that promises how its sequence is changed."""
        self._capacity = FIRST_CAPACITY
        count = 1 if images is None else images.count
        self._hashes: U64Array = np.zeros((FIRST_CAPACITY, count), np.uint64)
        self._hashed = 0
        """So many values of the tree have their hashes."""
        self._heads = np.zeros(FIRST_CAPACITY, np.int32)
        self._hasher = hasher
        self._images = images
        self._numbers: dict[Any, int] = {}
        """Of all values, unless they are known by their keys."""
        self._keys: ValueKeys | None = None
        self._by_key: dict[Key, int] = {}
        self._by_hash: dict[int, int] = {}
        self._has_parts = False

    def __len__(self) -> int:
        return len(self.values)

    def number(self, value: Any) -> int:
        """The number of a value, a new one if it is new.

        Raises:
            ModelError: if the value has no canonical form, is of another class than
                those before, equals one without being the same, or must not be there.
        """
        try:
            return self._number(value)
        except NoCanonicalForm as error:
            raise NoCanonicalForm(error.value, self.name) from error

    def _number(self, value: Any) -> int:
        if self.tree is not None:
            try:
                return self._number_in(self.tree, value)
            except Unlike:
                self._forget_tree()
        if self._keys is not None:
            try:
                return self._number_by_key(self._keys, value)
            except Unlike:
                self._forget_keys()
        number = self._known(value)
        if number is None:
            self._require_class(value)
            number = self._add(value, self._hasher.new_value(value))
            self._numbers[value] = number
            if number == 0 and not self._has_tree(value):
                self._begin_keys(value)
        return number

    def values_of(self, numbers: Indices) -> SentValues:
        """The values that have some numbers, for another process; see `numbers_of`."""
        if self.tree is not None:
            return self.tree.prefixes(numbers)
        return tuple([self.values[number] for number in numbers.tolist()])

    def numbers_of(self, values: SentValues) -> Indices:
        """The numbers of some values, new ones where they are new.

        Raises:
            ModelError: as `number` does.
        """
        if not isinstance(values, tuple):
            if not self.values and len(values):
                self.number(values.value(0))
            if self.tree is not None:
                try:
                    return self.tree.numbers_of(values).astype(np.intp)
                except Unlike:
                    self._forget_tree()
            values = tuple([values.value(index) for index in range(len(values))])
        return np.array([self.number(value) for value in values], np.intp)

    @property
    def capacity(self) -> int:
        """The number of values for which arrays have room: it doubles."""
        while self._capacity < len(self.values):
            self._capacity *= GROWTH
        return self._capacity

    @property
    def hashes(self) -> U64Array:
        """The stable hashes, of as many values as there is room for."""
        count = len(self.values)
        if len(self._hashes) < count:
            grown = np.zeros((self.capacity, self._hashes.shape[1]), np.uint64)
            grown[: len(self._hashes)] = self._hashes
            self._hashes = grown
        if self.tree is not None and self._hashed < count:
            self._hashes[self._hashed : count, 0] = self.tree.hashes(self._hashed)
            self._hashed = count
        return self._hashes

    def parts(self, start: int) -> tuple[Indices, U64Array]:
        """The parts of values, from one on, that add to a fingerprint by themselves.

        Each is told by the number of its value, and its stable hashes.
        """
        count = len(self.values)
        if not has_items(self.values[0]):
            return np.arange(start, count), self.hashes[start:count]
        numbers: list[int] = []
        hashes: list[U64Array | int] = []
        for number, value in enumerate(self.values[start:], start):
            if self._images is None:
                hashes += map(self._hasher.value, parts_of(value))
            else:
                hashes += self._images.of_parts(value)
            numbers += [number] * (len(hashes) - len(numbers))
        of_parts = np.array(hashes, np.uint64).reshape(-1, self._hashes.shape[1])
        return np.array(numbers, np.intp), of_parts

    @property
    def sequence(self) -> str | None:
        """The field of its values that holds a sequence, if heads are known."""
        if self.tree is not None:
            return self.tree.sequence
        return None if self._keys is None else self._keys.sequence

    def heads_of(self, values: Indices) -> Numbers:
        """The heads of values with a sequence; see `ValueKeys` and `SequenceTree`."""
        if self.tree is not None:
            return self.tree.heads_of(values)
        return self._heads[values]

    def _has_tree(self, first: Any) -> bool:
        """Know values by their places in a tree, if their class promises enough."""
        if self._images is not None or not hasattr(first, "SEQUENCE"):
            return False
        # Imported only here: most checks have no class with such a promise.
        from replicheck.explorer.tables.sequences.sequence_tree import SequenceTree
        from replicheck.explorer.tables.sequences.sequence_values import SequenceValues

        self.tree = SequenceTree.of(first, self._hasher)
        if self.tree is None:
            return False
        try:
            self.tree.number(first)
        except Unlike:
            self.tree = None
            return False
        self.values, self._plain_values = SequenceValues(self.tree), []
        self._numbers, self._by_hash = {}, {}
        return True

    def _forget_tree(self) -> None:
        """Know values by what Python says of them, since one has no place."""
        hashes = self.hashes[: len(self.values), 0].tolist()
        self._plain_values = list(self.values)
        self.values, self.tree = self._plain_values, None
        self._numbers = {value: number for number, value in enumerate(self.values)}
        self._by_hash = {of: number for number, of in enumerate(hashes)}

    def _number_in(self, tree: SequenceTree, value: Any) -> int:
        count, number = len(tree), tree.number(value)
        if number == count:
            self.require(value)
        return number

    def _number_by_key(self, keys: ValueKeys, value: Any) -> int:
        key = keys.key(value)
        number = self._by_key.get(key)
        if number is None:
            number = self._by_key[key] = self._add(value, keys.hash(key))
            if number >= len(self._heads):
                self._heads = np.resize(self._heads, self.capacity)
            self._heads[number] = keys.head(key)
        return number

    def _begin_keys(self, first: Any) -> None:
        """Know values by their keys, if the first one has a sequence in it."""
        keys = ValueKeys.of(first, self._hasher)
        if keys is None:
            return
        try:
            key = keys.key(first)
        except Unlike:
            return
        self._keys, self._by_key = keys, {key: 0}
        self._numbers, self._heads[0] = {}, keys.head(key)

    def _forget_keys(self) -> None:
        """Know values by what Python says of them, since one has no key."""
        self._keys, self._by_key = None, {}
        self._numbers = {value: number for number, value in enumerate(self.values)}

    def _require_class(self, value: Any) -> None:
        """Refuse a value of another class than all others.

        Raises:
            ModelError: if it is of one.
        """
        if self.values and self._class_of(value) is not self._class_of(self.values[0]):
            raise another_class(self.name, type(self.values[0]), value)

    def _add(self, value: Any, value_hash: int) -> int:
        """Give a value the next number, and note its hashes."""
        number = len(self.values)
        self.require(value)
        self._require_new(value, value_hash)
        if number == 0:
            self._has_parts = bool(kinds_of_parts(value.__class__))
        if self._has_parts:
            require_parts(value)
        self._plain_values.append(value)
        if self._images is None or has_items(value):
            self.hashes[number, 0] = value_hash
        else:
            (self.hashes[number],) = self._images.of_parts(value)
        return number

    def _known(self, value: Any) -> int | None:
        """The number of a value, if it has one.

        Raises:
            ModelError: if it equals a known value without being the same.
        """
        try:
            number = self._numbers.get(value)
        except TypeError as error:
            if self.values and self._class_of(self.values[0]) is not None:
                self._require_class(value)
            raise unhashable(self.name, value, error) from error
        if number is None:
            return None
        known = self.values[number]
        if known is not value and not are_exactly_equal(known, value):
            raise unlike_values(self.name, known, value)
        return number

    def _require_new(self, value: Any, value_hash: int) -> None:
        """Refuse a value that is alike to a known one, and yet not equal to it."""
        number = self._by_hash.setdefault(value_hash, len(self.values))
        if number != len(self.values):
            raise ModelError(
                f"the cell `{self.name}` is both {self.values[number]!r} and {value!r},"
                f" which have the same content and yet are not equal in Python: have"
                f" `==` of {type(value).__name__} compare the fields, and nothing else"
            )

    @staticmethod
    def _class_of(value: Any) -> type | None:
        """The class where it matters: values that are asked rather than read."""
        kind = type(value)
        is_asked = kind is frozenset or hasattr(kind, "__attrs_attrs__")
        return kind if is_asked else None
