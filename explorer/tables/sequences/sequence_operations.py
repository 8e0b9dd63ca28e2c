"""Operations on sequences: what each makes of a value, by what it makes of its ends.

What is put at the end is learned once for all values; what becomes of the head, once
for each head. The rest of the value stays as the class promises, and a sample of the
values is changed by the model's own methods, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import RAISES, UNKNOWN, Indices, Numbers
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    AT_HEAD,
    NO_LAW,
)
from replicheck.explorer.native.kernels.sequence_arrays import NO_NODE
from replicheck.explorer.proxies.operation_laws import OperationLaws
from replicheck.explorer.tables.lookups import Lookup, checked_of
from replicheck.explorer.tables.sequences.sequence_tree import SequenceTree

Plainly = Callable[[Lookup, int], int]
"""The number of what the model's own methods make of a value, or RAISES."""


class SequenceOperations:
    """Applies operations with a promise; ``plainly`` applies one by the model."""

    def __init__(self, plainly: Plainly, *, checks_all: bool) -> None:
        self._plainly, self._checks_all = plainly, checks_all
        self._laws: dict[Lookup, int] = {}
        self._added: dict[Lookup, list[int]] = {}

    def after(self, lookup: Lookup, values: Indices) -> Numbers:
        """The numbers of the values that an operation leads to, or RAISES.

        Raises:
            ModelError: if the class promises what is not so.
        """
        tree = lookup.dictionary.tree
        law = NO_LAW if tree is None else self._law(lookup)
        if tree is None or law not in (AT_END, AT_HEAD):
            return self._all_plainly(lookup, values)
        find = self._after_at_end if law == AT_END else self._after_at_head
        numbers = find(lookup, tree, values)
        if lookup.dictionary.tree is not tree:
            # The model's own methods led to a value that has no place in the tree.
            return self._all_plainly(lookup, values)
        every = range(len(values))
        checked = every if self._checks_all else checked_of(len(values))
        pairs = zip(values[checked].tolist(), numbers[checked].tolist(), strict=True)
        for value, number in pairs:
            if self._plainly(lookup, value) != number:
                raise self._broken(lookup, value, number)
        return numbers

    def _all_plainly(self, lookup: Lookup, values: Indices) -> Numbers:
        numbers = [self._plainly(lookup, value) for value in values.tolist()]
        return np.array(numbers, np.int32)

    def _law(self, lookup: Lookup) -> int:
        law = self._laws.get(lookup)
        if law is None:
            law = OperationLaws.of(lookup.dictionary.values[0]).law_of(lookup.calls)
            self._laws[lookup] = law
        return law

    def _after_at_end(
        self, lookup: Lookup, tree: SequenceTree, values: Indices
    ) -> Numbers:
        nodes = tree.nodes_of(values)
        is_empty = tree.are_empty(nodes)
        numbers = self._of_some(lookup, values, is_empty)
        others = np.flatnonzero(~is_empty)
        if lookup not in self._added and len(others):
            value = int(values[others[0]])
            after = self._plainly(lookup, value)
            if lookup.dictionary.tree is tree:
                self._added[lookup] = self._added_to(lookup, tree, value, after)
        if lookup.dictionary.tree is tree and len(others):
            numbers[others] = tree.append(nodes[others], self._added[lookup])
        return numbers

    def _of_some(self, lookup: Lookup, values: Indices, chosen: Any) -> Numbers:
        """The numbers of what some values become by the model, UNKNOWN for others."""
        numbers = np.full(len(values), UNKNOWN, np.int32)
        for place in np.flatnonzero(chosen).tolist():
            numbers[place] = self._plainly(lookup, int(values[place]))
        return numbers

    def _added_to(
        self, lookup: Lookup, tree: SequenceTree, value: int, after: int
    ) -> list[int]:
        """The elements that an operation puts at the end, seen from one value."""
        node, longer = (
            tree.node_of(value),
            NO_NODE if after < 0 else tree.node_of(after),
        )
        while longer not in (node, NO_NODE):
            longer, _ = tree.without_last(longer)
        if longer == NO_NODE:
            raise self._broken(lookup, value, None)
        return tree.elements(tree.node_of(after), node)

    def _after_at_head(
        self, lookup: Lookup, tree: SequenceTree, values: Indices
    ) -> Numbers:
        nodes = tree.nodes_of(values)
        heads, is_empty = tree.heads_of(values), tree.are_empty(nodes)
        numbers = self._of_some(lookup, values, is_empty)
        lookup.fit_heads(int(heads.max()) + 1)
        is_new = ~is_empty & (lookup.by_head[heads] == UNKNOWN)
        _, firsts = np.unique(heads[is_new], return_index=True)
        for value in values[is_new][firsts].tolist():
            after = self._plainly(lookup, value)
            if lookup.dictionary.tree is not tree:
                return numbers
            head = int(tree.heads_of(np.array([value]))[0])
            lookup.by_head[head] = self._of_head(lookup, tree, value, after)
        after_heads = lookup.by_head[heads]
        numbers[~is_empty & (after_heads == RAISES)] = RAISES
        others = np.flatnonzero(~is_empty & (after_heads >= 0))
        numbers[others] = tree.replace_heads(
            nodes[others], after_heads[others], lookup.known
        )
        return numbers

    def _of_head(
        self, lookup: Lookup, tree: SequenceTree, value: int, after: int
    ) -> int:
        """The node that an operation makes of a value's head alone, or RAISES."""
        if after == RAISES:
            return RAISES
        _, *rest = tree.elements(tree.node_of(value))
        of_head = tree.node_of(after)
        for element in reversed(rest):
            before, last = tree.without_last(of_head)
            if before == NO_NODE or last != element:
                raise self._broken(lookup, value, None)
            of_head = before
        return of_head

    def _broken(self, lookup: Lookup, value: int, promised: int | None) -> ModelError:
        """The error of a class that promises what is not so."""
        values = lookup.dictionary.values
        kind = type(values[0]).__name__
        end = "end" if self._law(lookup) == AT_END else "head"
        law = f"AT_{end.upper()}"
        expected = "nothing that agrees with it"
        if promised is not None:
            expected = "it to raise" if promised == RAISES else f"{values[promised]!r}"
        return ModelError(
            f"`{kind}` promises by `SEQUENCE` and `{law}` that `{lookup}` changes"
            f" nothing but the {end} of `{lookup.dictionary.name}`, and changes it"
            f" alike in all values. It does otherwise in {values[value]!r}: expected"
            f" {expected}. Take it out of `{law}`, or `SEQUENCE` out of `{kind}`"
        )
