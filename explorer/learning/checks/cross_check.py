"""Rechecking: some states of a level, worked out again without any table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.checks.consistency import have_the_same, joined
from replicheck.explorer.learning.learned_functions import (
    Role,
    parts_of,
    without_later_parts,
)
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Symmetry
from replicheck.explorer.native.kernels.arrays import Level
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.symmetry import renamed


def recheck(learner: Learner, symmetries: Sequence[Symmetry], level: Level) -> None:
    """Compare the first, middle and last state of a level with what is stored of them.

    Each must have the fingerprint that is stored, and, unless a constraint cuts it,
    the steps that the tables say, in whatever order.

    Raises:
        ModelError: if a state differs, naming the function.
    """
    last = len(level.fingerprints) - 1
    for place in sorted({0, last // 2, last}):
        row = RowView(level.rows)[place].tolist()
        state = learner.state(row)
        fingerprint = _fingerprint(learner, symmetries, state)
        stored = int(level.fingerprints[place])
        if fingerprint != stored:
            raise ModelError(
                f"the fingerprint {stored:#x} is stored for a state that has"
                f" {fingerprint:#x}: a value was changed in place. The state:"
                f" {state}"
            )
        if not level.constrained[place]:
            for number in without_later_parts(learner.functions):
                function = learner.functions[number]
                if function.role is Role.ACTION:
                    _recheck_steps(learner, number, function.instance, row)


def _fingerprint(learner: Learner, symmetries: Sequence[Symmetry], state: Any) -> int:
    layout = learner.layout.plain
    of = Fingerprinter(layout).of
    others = [renamed(layout, state, symmetry) for symmetry in symmetries]
    return min(of(other) for other in (state, *others))


def _recheck_steps(
    learner: Learner, number: int, action: Instance, row: Sequence[int]
) -> None:
    state = learner.state(row)
    parts = parts_of(learner.functions, number)
    stored = joined([_stored(learner, part, row) for part in parts])
    found = learner.plain_steps(number, state)
    if not have_the_same(stored, found):
        raise ModelError(
            f"`{action.label}` is not a function of the state: it leads to {found}, and"
            f" by what was learned of it to {stored}. The state: {state}"
        )


def _stored(learner: Learner, number: int, row: Sequence[int]) -> object:
    try:
        return [
            learner.state(row_after) for row_after in learner.steps_from(number, row)
        ]
    except ArithmeticError:
        return "an exception"
