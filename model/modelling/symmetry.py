"""Symmetry of a model whose ids are alike: the renamings of those ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, permutations
from typing import Any

import attrs
from attrs import field, frozen

from replicheck.model.modelling.values import Id

Families = Mapping[type, tuple[str, ...]]
"""For each class of ids that are alike the families of cells that they index."""


@frozen
class IdRenaming:
    """One way to rename ids that are alike."""

    renamed: Mapping[type, tuple[int, ...]] = field(eq=False)
    families: Families = field(eq=False)

    def cell(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """Index of the renamed cell: ids index the outermost tuple of a family."""
        for kind, fields in self.families.items():
            if field in fields and index:
                return (self.renamed[kind][index[0]], *index[1:])
        return index

    def value(self, value: Any) -> Any:
        """Value with every id in it renamed."""
        if isinstance(value, Id) and type(value) in self.renamed:
            return type(value)(self.renamed[type(value)][value])
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


@frozen
class IdRenamings:
    """The renamings of ids that are alike but for the identity, each made when due."""

    families: Families
    domains: Mapping[object, tuple[object, ...]]

    def __iter__(self) -> Iterator[IdRenaming]:
        for chosen in islice(self._orders(tuple(self.families)), 1, None):
            yield IdRenaming(chosen, self.families)

    def _orders(self, kinds: tuple[type, ...]) -> Iterator[dict[type, tuple[int, ...]]]:
        if not kinds:
            yield {}
            return
        kind, *others = kinds
        for order in permutations(range(len(self.domains[kind]))):
            for rest in self._orders(tuple(others)):
                yield {kind: order, **rest}
