"""The functions that are learned with an encoding: some for parts of what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicheck.explorer.learning.learned_functions import LearnedFunction
from replicheck.explorer.learning.parts.item_parts import parted_by_items
from replicheck.explorer.learning.parts.parted_functions import parted
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
        found = parted(found, layout)
    return parted_by_items(found, encoding.loops, layout, start)
