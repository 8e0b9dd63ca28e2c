"""Symmetry of a model whose ids are alike: the renamings of those ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


@frozen
class IdRenaming:
    """One way to rename ids that are alike."""

    renamed: Mapping[type, tuple[int, ...]] = field(eq=False)
    families: Families = field(eq=False)

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """Index of the renamed cell."""
        return tuple(
            self._place(field + WITHIN * level, place)
            for level, place in enumerate(index)
        )

    def value(self, value: Any) -> Any:
        """Value with every id in it renamed."""
        if isinstance(value, Id) and type(value) in self.renamed:
            known = self.renamed[type(value)]
            # What is no id of the domain, such as -1 for none, keeps its name.
            return type(value)(known[value]) if 0 <= value < len(known) else value
        if isinstance(value, tuple):
            elements = map(self.value, value)
            make = getattr(value, "_make", tuple)
            return make(elements)
        if isinstance(value, frozenset):
            return frozenset(self.value(element) for element in value)
        if attrs.has(type(value)):
            names = [x.name for x in attrs.fields(type(value)) if x.init]
            inside = {name: self.value(getattr(value, name)) for name in names}
            return attrs.evolve(value, **{k.lstrip("_"): v for k, v in inside.items()})
        return value

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

    def _orders(self, kinds: tuple[type, ...]) -> Iterator[dict[type, tuple[int, ...]]]:
        if not kinds:
            yield {}
            return
        kind, *others = kinds
        for order in permutations(range(len(self.domains[kind]))):
            for rest in self._orders(tuple(others)):
                yield {kind: order, **rest}
