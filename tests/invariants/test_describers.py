"""What a run of each model shows of Kafka: logs, records, who told whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Step, Trace, Violation
from replicheck.explorer.states.layout import Layout
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.describers.log_strips import on_failed_disk
from replicheck.model.fetching.bounds import FetchingBounds as FetchingBounds
from replicheck.model.fetching.protocols import fetching_model
from replicheck.traces.counterexample import Commentary, violation_text
from replicheck.traces.log_strips import drawn
from replicheck.traces.record_history import ledger
from replicheck.traces.run_text import FULL, run_lines
from replicheck.traces.state_diff import changes
from saved_runs import loss as saved_loss
from saved_runs import of_scenario
from shipped import CATALOGUE, SYSTEMS


@pytest.fixture(scope="module")
def loss() -> Trace[Any]:
    """The run by which KIP-279 loses a committed record from a follower."""
    return saved_loss().trace


def test_log_strips(loss: Trace[Any]) -> None:
    """Each broker has a row with its log, high watermark, end, ISR and leader."""
    assert list(drawn(SYSTEMS["replication"].describer.strips(loss.states[-1]))) == [
        "broker 0  [^      ]  HW 0, end 0, in stored ISR".replace(
            ", in stored ISR", ""
        ),
        "broker 1  [e2 r0 ^]  HW 1, end 1, leads in epoch 2, ISR {1, 2}, stored leader,"
        " in stored ISR",
        "broker 2  [^      ]  HW 0, end 0, follows 0 in epoch 1, in stored ISR",
    ]


def test_the_ledger_of_a_record(loss: Trace[Any]) -> None:
    """It says who fetched it, when it was committed, and where it was cut."""
    (entry,) = ledger(loss, SYSTEMS["replication"].describer)
    assert str(entry) == (
        "r0@e2 (offset 0): on broker 1 from state 7, copied to broker 2 in state 9,"
        " committed in state 10 when on broker 1 and broker 2, readable from broker"
        " 1 since 10, cut from broker 2 in state 11, at the end on broker 1"
    )
    assert not entry.is_lost


def test_a_record_that_is_lost(loss: Trace[Any]) -> None:
    """What was committed and is in no log at the end is lost."""
    last = loss.states[-1]
    cut = last.evolve(logs={1: last.logs[1].truncate_to(0)})
    gone = Trace(loss.start, (*loss.steps, Step("cut", {}, cut)))
    (entry,) = ledger(gone, SYSTEMS["replication"].describer)
    assert entry.is_lost
    assert str(entry).endswith("at the end on no log: LOST")


def test_a_record_on_a_failed_disk_is_lost() -> None:
    """Its records cannot be read, and its log is marked."""
    bounds = FetchingBounds(brokers=1, records=1, directory_failures=1)
    model = fetching_model(bounds=bounds)
    steps = [
        "append_records_to_leader(leader=0, partition=0)",
        "fail_directory(broker=0, directory=0)",
    ]
    trace = Stepper(model).take(steps)
    describer = SYSTEMS["fetching"].describer
    (entry,) = ledger(trace, describer)
    assert entry.is_lost
    assert str(entry).endswith("at the end on no log, unreadable on broker 0: LOST")
    (line,) = drawn(describer.strips(trace.states[-1]))
    assert line.endswith("directory failing")


def test_a_record_that_a_good_disk_has_too_is_not_lost() -> None:
    """Of the two logs in the end, the one on the failed disk is told apart."""
    model = fetching_model(bounds=FetchingBounds(brokers=1, records=1))
    append = ["append_records_to_leader(leader=0, partition=0)"]
    trace, describer = Stepper(model).take(append), SYSTEMS["fetching"].describer
    (log,) = describer.strips(trace.states[-1])
    two = attrs.evolve(
        describer,
        strips=lambda state: (log, on_failed_disk(attrs.evolve(log, name="other"))),
    )
    (entry,) = ledger(trace, two)
    assert not entry.is_lost
    assert str(entry).endswith("at the end on broker 0, unreadable on other")


@pytest.mark.parametrize(
    ("name", "label", "mark"),
    [
        ("leader-disk-fails", "append(leader=0, partition=0)", "directory failing"),
        ("kraft-disk-fails", "fail_directory(broker=0, directory=0)", "disk failed"),
    ],
)
def test_a_log_on_a_failed_disk_is_marked(name: str, label: str, mark: str) -> None:
    """In each model that has disks, and no other log of the state."""
    scenario = CATALOGUE.scenarios[name]
    system = SYSTEMS[scenario.model]
    stepper = Stepper(model_of(scenario, system, Place(name)))
    strips = system.describer.strips(stepper.take([label]).states[-1])
    (failed,) = (strip for strip in strips if not strip.is_accessible)
    assert (failed.lane, failed.marks[-1]) == ("broker 0", mark)


def test_a_record_that_is_deleted() -> None:
    """What a leader deletes from the front of its log is not lost."""
    model = fetching_model(bounds=FetchingBounds(brokers=1, records=1, deletions=1))
    steps = [
        "append_records_to_leader(leader=0, partition=0)",
        "delete_records(leader=0, partition=0)",
    ]
    (entry,) = ledger(Stepper(model).take(steps), SYSTEMS["fetching"].describer)
    assert not entry.is_lost
    assert entry.cuts == []
    assert "deleted on broker 0 in state 3" in str(entry)


def told(trace: Trace[Any], model: str) -> list[str]:
    """The action of each step, and who told whom."""
    layout = Layout.of(trace.start)
    found = []
    for before, step in zip(trace.states, trace.steps, strict=False):
        cells = [str(change.cell) for change in changes(layout, before, step.state)]
        messages = SYSTEMS[model].describer.messages(step.action, step.arguments, cells)
        arrows = ", ".join(
            f"{message.source} -> {message.target}" for message in messages
        )
        found.append(f"{step.action}: {arrows}")
    return found


def test_who_told_whom(loss: Trace[Any]) -> None:
    """A message goes from the lane that acts to the one it concerns."""
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
    assert SYSTEMS["cluster"].describer.rules("handle_leader_and_isr")[:2] == (
        "B-CHK-1",
        "B-CHK-2",
    )
    assert SYSTEMS["fetching"].describer.rules("elect_leader") == ("B-CTRL",)
    assert SYSTEMS["replication"].describer.rules("fetch") == ()


@pytest.mark.parametrize("name", CATALOGUE.scenarios)
def test_every_model_has_a_describer(name: str) -> None:
    """Lanes, strips and actors are there for the first state of every scenario."""
    scenario = CATALOGUE.scenarios[name]
    system = CATALOGUE.systems[scenario.model]
    model = model_of(scenario, system, Place(name))
    state, *_others = model.initial_states()
    describer = SYSTEMS[scenario.model].describer
    lanes = describer.lanes(state)
    assert {
        lane
        for cell in Layout.of(state).cells
        if (lane := describer.lane_of_cell(str(cell)))
    } == set(lanes)
    brokers = {strip.broker for strip in describer.strips(state)}
    assert brokers <= set(state.bounds.broker_ids)


def test_a_counterexample_with_a_describer(loss: Trace[Any]) -> None:
    """It has a line of messages and rules, the log strips, and the ledger."""
    violation = Violation("p", Kind.ALWAYS, "p(leader=1)", loss)
    about = Commentary(describer=SYSTEMS["replication"].describer)
    lines = violation_text(violation, about, FULL).splitlines()
    assert "      (broker 1 -> controller)" in lines
    place = lines.index("Logs (e: epoch, ^: high watermark):")
    assert lines[place + 2].startswith("      broker 1  [e2 r0 ^]  HW 1, end 1, leads")
    assert lines[place + 4] == "Records:"
    assert "committed in state 10" in lines[place + 5]


def test_a_run_names_the_rules() -> None:
    """They stand beside who told whom."""
    saved = of_scenario("leader-disk-fails")
    text = "\n".join(run_lines(saved.trace, SYSTEMS["cluster"].describer))
    assert "(broker 2 -> broker 1; B-CHK-1, B-CHK-2, " in text


def actions_of(system: System) -> Iterator[str]:
    """Yield the actions of every protocol, and what reductions put in their place."""
    for protocol in (*system.protocols, *system.mutations):
        yield from (action.__name__ for action in protocol.actions)
    for reduction in system.reductions:
        merged = system.protocol(system.protocols[0].name, (reduction.name,))
        yield from (action.__name__ for action in merged.actions)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_actions_that_a_describer_names_exist(name: str) -> None:
    """A developer who renames an action is told that its arrows would change."""
    named = SYSTEMS[name].describer.named_actions
    assert named - set(actions_of(SYSTEMS[name])) == set()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_fields_that_a_describer_names_exist(name: str) -> None:
    """A developer who renames a cell is told that it would change its lane."""
    system, describer = CATALOGUE.systems[name], SYSTEMS[name].describer
    model = system.build(system.protocols[0], system.bounds())
    state = next(iter(model.initial_states()))
    fields = {cell.field for cell in Layout.of(state).cells}
    assert describer.stored - fields == set()
    bounds = {bound.name for bound in attrs.fields(system.bounds)}
    assert set(describer.left(state)) <= bounds
