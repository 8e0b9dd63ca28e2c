"""Guards are told by the line of the action that asked last."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from replicheck.explorer.instances import instances
from replicheck.model.state_base import Cells
from replicheck.traces.replay.disabling_guard import last_guard


@frozen
class Doorway(Cells):
    """A state in the file of its action, as in a model of one file."""

    is_open: bool = False

    def may_pass(self) -> bool:
        """Whether it is open."""
        return self.is_open


def test_a_guard_is_in_the_action_where_one_file_has_states_and_actions() -> None:
    """Methods of the class are not what asked, but the line that called them."""

    def walk_through(state: Doorway) -> Iterator[Doorway]:
        if state.may_pass():
            yield state.evolve(is_open=False)

    (action,) = instances([walk_through], {})
    guard = last_guard(action, Doorway())
    assert guard is not None
    assert (guard.function, guard.code) == ("walk_through", "if state.may_pass():")
