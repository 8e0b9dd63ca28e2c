"""AlterIsr: a change is committed, refused, asked for again, or forgotten."""

from __future__ import annotations

import pytest

from replicheck.explorer.interpreter.stepper import CannotTake, Stepper
from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.alter_isr.protocols import alter_isr_model
from replicheck.model.alter_isr.state import Exchange, Refusal

BOUNDS = AlterIsrBounds(records=1, epoch_bumps=1, controller_moves=1, lost_answers=1)
SHRINK = ["append", "shrink_isr(follower=1)", "send_alter_isr"]
HANDLE = "handle_alter_isr"
LEARN = "handle_alter_isr_response"


def after(*steps: str) -> Exchange:
    """The state after some steps, from that in which all are in sync."""
    trace = Stepper(alter_isr_model(bounds=BOUNDS)).take(steps)
    state: Exchange = trace.steps[-1].state
    return state


def test_a_change_is_committed_with_the_answer() -> None:
    """And so is the record for which the follower was waited."""
    waiting = after(*SHRINK, HANDLE)
    assert waiting.partition.has_in_flight()
    assert waiting.partition.high_watermark == 0
    done = after(*SHRINK, HANDLE, LEARN)
    assert done.partition.committed == done.stored.content
    assert done.stored.content.isr == {0}
    assert done.partition.high_watermark == 1


def test_a_lost_answer_is_given_again() -> None:
    """What is stored already is stored once."""
    done = after(*SHRINK, HANDLE, "lose_answer", HANDLE, LEARN)
    assert done.stored.content.version == 1
    assert not done.partition.has_in_flight()


def test_a_proposal_of_an_older_epoch_is_fenced() -> None:
    """The request that is on its way says what is in force."""
    refused = after(*SHRINK, "bump_epoch", HANDLE)
    assert refused.manager.answer is Refusal.FENCED
    done = after(*SHRINK, "bump_epoch", HANDLE, LEARN, "become_leader")
    assert done.partition.committed.epoch == 1
    assert not done.partition.has_in_flight()


def test_a_deposed_controller_sends_the_leader_on() -> None:
    """The entry stays, and goes to the controller that there is."""
    refused = after(*SHRINK, "move_controller", HANDLE)
    assert refused.manager.answer is Refusal.NOT_CONTROLLER
    done = after(
        *SHRINK, "move_controller", HANDLE, LEARN, "send_alter_isr", HANDLE, LEARN
    )
    assert done.stored.content.isr == {0}


@pytest.mark.parametrize(
    "steps",
    [
        ["shrink_isr(follower=1)"],
        ["append", "shrink_isr(follower=0)"],
        ["expand_isr(follower=1)"],
        ["append", "expand_isr(follower=1)"],
        ["append", "append"],
        ["catch_up(follower=1)"],
        [*SHRINK, "shrink_isr(follower=1)"],
        [*SHRINK, "send_alter_isr"],
        [*SHRINK, "bump_epoch", "become_leader", "shrink_isr(follower=1)"],
        ["send_alter_isr"],
        [HANDLE],
        [*SHRINK, HANDLE, HANDLE],
        [*SHRINK, LEARN],
        ["become_leader"],
        ["lose_answer"],
        ["move_controller", "move_controller"],
        ["bump_epoch", "bump_epoch"],
    ],
    ids=lambda steps: "-".join(label.partition("(")[0] for label in steps),
)
def test_what_is_not_enabled(steps: list[str]) -> None:
    """Every step up to the last can be taken, and the last cannot."""
    with pytest.raises(CannotTake, match=f"state {len(steps) + 1}: "):
        after(*steps)
