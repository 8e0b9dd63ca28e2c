"""What a run of each model shows of Kafka: logs, records, who told whom."""

from __future__ import annotations

from typing import Any

import pytest

from replicheck.explorer.cells import Layout
from replicheck.explorer.report import Step, Trace
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.describing.models import VOICES
from replicheck.invariants.errors import Place
from replicheck.invariants.sequences import model_of
from replicheck.model.replication.protocols import KIP_279, Replication
from replicheck.traces.changes import changes
from replicheck.traces.drawing import drawn
from replicheck.traces.ledger import ledger
from replicheck.traces.replaying.labels import taken

LOSS = (
    "elect_leader(leader=1)",
    "elect_leader(leader=0)",
    "elect_leader(leader=1)",
    "become_leader(leader=1) [2]",
    "become_follower_and_truncate_by_kip_279(leader=1, follower=2) [1]",
    "append_to_leader(leader=1)",
    "shrink_isr(leader=1, follower=0)",
    "fetch(leader=1, follower=2)",
    "increment_high_watermark(leader=1)",
    "become_follower_and_truncate_by_kip_279(leader=0, follower=2)",
)


@pytest.fixture(scope="module")
def loss() -> Trace[Any]:
    """Return the run by which KIP-279 loses a committed record from a follower."""
    return taken(Replication(KIP_279), LOSS)


def test_log_strips(loss: Trace[Any]) -> None:
    """Each broker has a row with its log, high watermark, end, ISR and leader."""
    assert list(drawn(VOICES["replication"].strips(loss.states[-1]))) == [
        "broker 0  [^      ]  HW 0, end 0, in stored ISR".replace(
            ", in stored ISR", ""
        ),
        "broker 1  [e2 r0 ^]  HW 1, end 1, leads in epoch 2, ISR {1, 2}, stored leader,"
        " in stored ISR",
        "broker 2  [^      ]  HW 0, end 0, follows 0 in epoch 1, in stored ISR",
    ]


def test_the_ledger_of_a_record(loss: Trace[Any]) -> None:
    """It says when a record was acknowledged, where it stood and where it was cut."""
    (entry,) = ledger(loss, VOICES["replication"])
    assert str(entry) == (
        "r0@e2 (offset 0): on broker 1 from state 7, acknowledged in state 10 when on"
        " broker 1 and broker 2, readable from broker 1 since 10, cut from broker 2 in"
        " state 11, at the end on broker 1"
    )
    assert not entry.is_lost


def test_a_record_that_is_lost(loss: Trace[Any]) -> None:
    """What was acknowledged and is in no log at the end is lost."""
    last = loss.states[-1]
    cut = last.evolve(logs={1: last.logs[1].truncate_to(0)})
    gone = Trace(loss.start, (*loss.steps, Step("cut", {}, cut)))
    (entry,) = ledger(gone, VOICES["replication"])
    assert entry.is_lost
    assert str(entry).endswith("at the end on no log: LOST")


def told(trace: Trace[Any], model: str) -> list[str]:
    """Return for each step the action and who told whom."""
    layout = Layout.of(trace.start)
    found = []
    for before, step in zip(trace.states, trace.steps, strict=False):
        cells = [str(each.cell) for each in changes(layout, before, step.state)]
        messages = VOICES[model].messages(step.action, step.arguments, cells)
        arrows = ", ".join(f"{each.source} -> {each.target}" for each in messages)
        found.append(f"{step.action}: {arrows}")
    return found


def test_who_told_whom(loss: Trace[Any]) -> None:
    """A message goes from whoever acts to whom it concerns."""
    assert told(loss, "replication")[3:] == [
        "become_leader: controller -> broker 1",
        "become_follower_and_truncate_by_kip_279: broker 1 -> broker 2",
        "append_to_leader: ",
        "shrink_isr: broker 1 -> controller",
        "fetch: broker 1 -> broker 2",
        "increment_high_watermark: ",
        "become_follower_and_truncate_by_kip_279: broker 0 -> broker 2",
    ]


def test_the_rules_of_an_action() -> None:
    """They are those of its docstring."""
    assert VOICES["cluster"].rules("handle_leader_and_isr")[:2] == (
        "B-CHK-1",
        "B-CHK-2",
    )
    assert VOICES["fetching"].rules("elect_leader") == ("B-CTRL",)
    assert VOICES["replication"].rules("fetch") == ()


@pytest.mark.parametrize("name", Catalogue.shipped().scenarios)
def test_every_model_has_a_voice(name: str) -> None:
    """Lanes, strips and actors are there for the first state of every scenario."""
    scenario = Catalogue.shipped().scenarios[name]
    system = Catalogue.shipped().systems[scenario.model]
    model = model_of(scenario, system, Place(name))
    state, *_others = model.initial_states()
    voice = VOICES[scenario.model]
    lanes = voice.lanes(state)
    assert {
        lane
        for cell in Layout.of(state).cells
        if (lane := voice.lane_of_cell(str(cell)))
    } == set(lanes)
    assert {each.broker for each in voice.strips(state)} <= set(state.bounds.broker_ids)
