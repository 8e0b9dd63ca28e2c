"""The functions that are learned with an encoding: some for parts of what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.learning.parts.item_claims import with_parts_of_claims
from replicheck.explorer.learning.parts.item_parts import (
    loops_over_items,
    parted_by_items,
)
from replicheck.explorer.learning.parts.parted_functions import (
    loops_of,
    parted,
    sets_in,
)
from replicheck.explorer.states.encoding import Encoding
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.split_layout import SplitLayout


def encoded(
    functions: Sequence[LearnedFunction], layout: Layout, start: Any, encoding: Encoding
) -> list[LearnedFunction]:
    """Functions in their order, in place of some those that are parts of them.

    Args:
        start: an initial state.

    Raises:
        EncodedOtherwise: if they compare elements of a set that cannot be compared.
    """
    found = [*functions]
    if isinstance(layout, SplitLayout):
        found = with_parts_of_claims(parted(found, layout), layout)
    return parted_by_items(found, encoding.loops, layout, start)


def can_have_parts(learned: LearnedModel) -> list[bool]:
    """Tell of each function whether its action has parts with some encoding."""
    functions = learned.functions
    sets = sets_in(learned.layout.plain, learned.starts[0])
    over_sets = loops_of(functions, sets) if sets else {}
    return [
        function.role is Role.ACTION
        and (
            function.instance.name in over_sets
            or bool(loops_over_items(function, sets))
        )
        for function in functions
    ]
