"""Operations on sequences: what each makes of a value, by what it makes of its ends.

What is put at the end is learned once for all values; what becomes of the head, once
for each head. The rest of the value stays as the class promises, and a sample of the
values is changed by the model's own methods, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import RAISES, UNKNOWN
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    NO_LAW,
)
from replicheck.explorer.proxies.queue_laws import QueueLaws
from replicheck.explorer.tables.lookups import Lookup
from replicheck.explorer.tables.sequence_tree import NO_NODE, NO_VALUE, SequenceTree

Plainly = Callable[[Lookup, int], int]
"""The number of what the model's own methods make of a value, or RAISES."""


class SequenceOperations:
    """Applies operations with a promise; ``plainly`` applies one by the model."""

    def __init__(self, plainly: Plainly, *, checks_all: bool) -> None:
        self._plainly, self._checks_all = plainly, checks_all
        self._laws: dict[Lookup, int] = {}
        self._added: dict[Lookup, list[int]] = {}

    def after(self, lookup: Lookup, values: Sequence[int]) -> list[int]:
        """The numbers of the values that an operation leads to, or RAISES.

        Raises:
            ModelError: if the class promises what is not so.
        """
        tree = lookup.dictionary.tree
        law = NO_LAW if tree is None else self._law(lookup)
        if tree is None or law == NO_LAW:
            return [self._plainly(lookup, value) for value in values]
        find = self._after_at_end if law == AT_END else self._after_at_head
        numbers = [find(lookup, tree, value) for value in values]
        if lookup.dictionary.tree is not tree:
            # The model's own methods led to a value that has no place in the tree.
            return [self._plainly(lookup, value) for value in values]
        checked = range(len(values)) if self._checks_all else [len(values) - 1]
        for place in checked:
            if self._plainly(lookup, values[place]) != numbers[place]:
                raise self._broken(lookup, values[place], numbers[place])
        return numbers

    def _law(self, lookup: Lookup) -> int:
        law = self._laws.get(lookup)
        if law is None:
            law = QueueLaws.of(lookup.dictionary.values[0]).law_of(lookup.calls)
            self._laws[lookup] = law
        return law

    def _after_at_end(self, lookup: Lookup, tree: SequenceTree, value: int) -> int:
        node = tree.nodes[value]
        if tree.parents[node] == NO_NODE:
            return self._plainly(lookup, value)
        added = self._added.get(lookup)
        if added is None:
            after = self._plainly(lookup, value)
            self._added[lookup] = self._added_to(lookup, tree, value, after)
            return after
        for element in added:
            node = tree.child(node, element)
        return tree.number_of(node)

    def _added_to(
        self, lookup: Lookup, tree: SequenceTree, value: int, after: int
    ) -> list[int]:
        """The elements that an operation puts at the end, seen from one value."""
        node, longer = tree.nodes[value], NO_NODE if after < 0 else tree.nodes[after]
        while longer not in (node, NO_NODE):
            longer = tree.parents[longer]
        if longer == NO_NODE:
            raise self._broken(lookup, value, None)
        return tree.elements(tree.nodes[after], node)

    def _after_at_head(self, lookup: Lookup, tree: SequenceTree, value: int) -> int:
        node = tree.nodes[value]
        if tree.parents[node] == NO_NODE:
            return self._plainly(lookup, value)
        head = tree.heads[node]
        lookup.fit_heads(head + 1)
        of_head = int(lookup.by_head[head])
        if of_head == UNKNOWN:
            after = self._plainly(lookup, value)
            lookup.by_head[head] = self._of_head(lookup, tree, value, after)
            return after
        if of_head == RAISES:
            return RAISES
        known, numbers, parents = lookup.known, tree.numbers, tree.parents
        path = []
        after_node = of_head
        while parents[parents[node]] != NO_NODE:
            path.append(tree.lasts[node])
            node = parents[node]
            number = numbers[node]
            if number != NO_VALUE and number < len(known) and known[number] >= 0:
                after_node = tree.nodes[int(known[number])]
                break
        for element in reversed(path):
            after_node = tree.child(after_node, element)
        return tree.number_of(after_node)

    def _of_head(
        self, lookup: Lookup, tree: SequenceTree, value: int, after: int
    ) -> int:
        """The node that an operation makes of a value's head alone, or RAISES."""
        if after == RAISES:
            return RAISES
        node, of_head = tree.nodes[value], tree.nodes[after]
        rest = tree.elements(node, tree.first_node(node))
        for element in reversed(rest):
            is_kept = tree.parents[of_head] != NO_NODE
            if not is_kept or tree.lasts[of_head] != element:
                raise self._broken(lookup, value, None)
            of_head = tree.parents[of_head]
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
