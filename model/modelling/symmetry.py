"""Symmetry of a model whose ids are alike: the renamings of those ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice, permutations
from typing import Any

import attrs
from attrs import field, frozen

from replicheck.model.modelling.values import Id

Families = Mapping[type, tuple[str, ...]]
"""For each class of ids that are alike the families of cells that they index.

``field`` is the tuple in a field, ``field[]`` each tuple within that, and so on.
"""
WITHIN = "[]"
Orders = Mapping[type, tuple[int, ...]]
"""For each class of ids that are alike the ids that they become."""


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """The fields of which a value is made; none if its class has none."""
    if not attrs.has(kind):
        return ()
    return tuple(field.name for field in attrs.fields(kind) if field.init)


def _as_items(orders: Orders) -> frozenset[tuple[type, tuple[int, ...]]]:
    return frozenset(orders.items())


@frozen
class IdRenaming:
    """One way to rename ids that are alike."""

    renamed: Orders = field(eq=_as_items)
    families: Families = field(eq=False)

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """Index of the renamed cell."""
        return tuple(
            self._place(field + WITHIN * level, place)
            for level, place in enumerate(index)
        )

    def value(self, value: Any) -> Any:
        """Value with every id in it renamed."""
        kind: Any = type(value)
        if issubclass(kind, Id) and kind in self.renamed:
            known = self.renamed[kind]
            # What is no id of the domain, such as -1 for none, keeps its name.
            return kind(known[value]) if 0 <= value < len(known) else value
        if issubclass(kind, tuple):
            elements = map(self.value, value)
            make = getattr(value, "_make", tuple)
            return make(elements)
        if issubclass(kind, frozenset):
            return frozenset(map(self.value, value))
        inside = {name: self.value(getattr(value, name)) for name in _fields(kind)}
        changed = {
            name.lstrip("_"): renamed
            for name, renamed in inside.items()
            if renamed is not getattr(value, name)
        }
        return attrs.evolve(value, **changed) if changed else value

    def then(self, after: IdRenaming) -> IdRenaming:
        """The renaming that is this one and then another one."""
        orders = {
            kind: tuple(after.renamed[kind][place] for place in order)
            for kind, order in self.renamed.items()
        }
        return IdRenaming(orders, self.families)

    def _place(self, name: str, place: int) -> int:
        """The place in a tuple that the renamed element has."""
        for kind, names in self.families.items():
            if name in names:
                return self.renamed[kind][place]
        return place


@frozen
class IdRenamings:
    """The renamings of ids that are alike but for the identity, each made when due."""

    families: Families
    domains: Mapping[object, tuple[object, ...]]

    def __iter__(self) -> Iterator[IdRenaming]:
        for chosen in islice(self._orders(tuple(self.families)), 1, None):
            yield IdRenaming(chosen, self.families)

    def __bool__(self) -> bool:
        """Tell whether ids are said to be alike, also if none of so few is renamed."""
        return len(self.families) > 0

    def _orders(self, kinds: tuple[type, ...]) -> Iterator[Orders]:
        if not kinds:
            yield {}
            return
        kind, *others = kinds
        for order in permutations(range(len(self.domains[kind]))):
            for rest in self._orders(tuple(others)):
                yield {kind: order, **rest}
