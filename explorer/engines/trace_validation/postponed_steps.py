"""Hidden steps that are taken late: only where a later step depends on them.

Of the runs that show the same in the same order, one is as short as any, and of those
one takes its late steps as late as any. In such a run a late step cannot change places
with what follows it, step by step, up to and with a step that is not a late one. So a
run in which it can is left out. Whether two steps can change places is not derived:
both orders are taken, and must show the same and lead to the same state.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    Successor,
)

Postponable = frozenset[tuple[int, int]]
"""Late steps on which nothing depends so far, by the numbers of their actions; each
with the number of the state to which the others lead without it."""
NOTHING: Postponable = frozenset()


@frozen
class PostponedSteps:
    """Tells of steps in a row whether a late one of them could be taken later still."""

    table: StateTable
    late: frozenset[str]

    def after(
        self, pending: Postponable, before: int, step: Successor
    ) -> Postponable | None:
        """The late steps on which nothing depends after a step from a state.

        None if one of those ``pending`` can follow the step, or can be left out.
        """
        is_late = not step.events and step.action.name in self.late
        following = {(step.number, before)} if is_late else set()
        for number, without in pending:
            later = self._without(number, without, step)
            if later is None:
                continue
            if later == step.after or not is_late:
                return None
            following.add((number, later))
        return frozenset(following)

    def expand_for(self, pending: Postponable, steps: Iterable[Successor]) -> None:
        """Find at once the steps that `after` asks for."""
        if not pending:
            return
        self.table.expand(without for _, without in pending)
        self.table.expand(
            same.after
            for step in steps
            for _, without in pending
            for same in self._same(without, step)
        )

    def _without(self, number: int, without: int, step: Successor) -> int | None:
        """State after a step less a late one, if that can follow or be left out."""
        for same in self._same(without, step):
            if same.after == step.after:
                return same.after
            for late in self.table.successors(same.after):
                place = late.number, late.after
                if place == (number, step.after) and not late.events:
                    return same.after
        return None

    def _same(self, state: int, step: Successor) -> list[Successor]:
        """Steps of the same action that show the same, from another state."""
        return [
            same
            for same in self.table.successors(state)
            if same.number == step.number and same.events == step.events
        ]
