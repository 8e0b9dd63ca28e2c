"""Traces as HTML: what is in the file, before any browser shows it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from attrs import astuple, frozen

from checkout import ROOT
from replicheck.cli.pages.glossary import glossary_of
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.rules import rules
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.state import initial_cluster
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Epoch, RecordId
from replicheck.traces.html.content import parts, run_content
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.html.message_flights import message_flights
from replicheck.traces.html.page import trace_page
from replicheck.traces.json_lines import Header, SavedTrace
from scenario_runs import run_of
from shipped import CATALOGUE, SYSTEMS


@pytest.mark.parametrize(
    "file",
    [
        "kip-279",
        "offline-leader-expands-isr",
        "kafka-5642-consume-notifications-when-inactive",
        "k-5-never-fence",
        "fetching-kafka-2.8.0",
    ],
)
def test_messages_are_in_flight_from_sending_to_receipt(file: str) -> None:
    """In each state the flights that are open are the messages of the state."""
    saved = read_trace(CATALOGUE, ROOT / "traces" / "gallery" / f"{file}.jsonl")
    describer = SYSTEMS[saved.header.model].describer
    flights = message_flights(saved.trace, describer)
    states = [saved.trace.start, *(step.state for step in saved.trace.steps)]
    for number, state in enumerate(states):
        shown = [
            (flight["source"], flight["target"], flight["kind"])
            for flight in flights
            if flight["sent"] <= number < (flight["received"] or len(states))
        ]
        messages = describer.in_flight(state)
        assert sorted(shown) == sorted(map(astuple, messages))
    assert bool(flights) == (saved.header.model != "replication")


def record(number: int, epoch: int) -> Record:
    """A record."""
    return Record(RecordId(number), Epoch(epoch))


@frozen
class Call:
    """An element of a queue."""

    kind: str
    number: int


@frozen
class ShownQueue:
    """A cell with two fields."""

    calls: tuple[Call, ...] = ()
    answer: int | None = None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            ShownQueue(),
            ShownQueue((Call("a", 1),)),
            ("calls", "", "Call (kind a, number 1)"),
        ),
        (
            ShownQueue((Call("a", 1),)),
            ShownQueue(),
            ("calls", "Call (kind a, number 1)", ""),
        ),
        (
            ShownQueue((Call("a", 1), Call("b", 2))),
            ShownQueue((Call("b", 2),)),
            ("calls", "Call (kind a, number 1)", ""),
        ),
        (ShownQueue(), ShownQueue(answer=1), ("answer", "none", "1")),
        ((1, 2), (1, 3), ("", "[1, 2]", "[1, 3]")),
        (frozenset({1, 2}), frozenset({2}), ("", "{1, 2}", "{2}")),
        (frozenset("ab"), frozenset("bc"), ("", "a", "c")),
        (record(0, 0), record(1, 0), ("", "r0@e0", "r1@e0")),
        (
            ShownQueue((Call("a", 1),)),
            ShownQueue((Call("a", 2),)),
            ("calls[0] number", "1", "2"),
        ),
    ],
)
def test_a_change_is_told_part_by_part(
    old: Any, new: Any, told: tuple[str, str, str]
) -> None:
    """Of a record only what differs, of a queue only what went or came."""
    assert list(parts(old, new)) == [told]


def test_a_page_asks_nothing_of_a_network() -> None:
    """No address is in it, and its policy would forbid each of them."""
    system = SYSTEMS["cluster"]
    text = trace_page(
        run_of("leader-disk-fails"), system.describer, glossary_of(system)
    )
    assert "default-src 'none'" in text
    addresses = re.findall(r"https?://[^\"'\s]*", text)
    assert addresses == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(?:link|img|iframe)|@import|src=", text)


def test_a_text_never_ends_the_script() -> None:
    """Whatever an instance says, it is text and no markup."""
    header = Header("s", "m", "p", instance="</script><script>alert(1)</script>")
    start = initial_cluster(ReplicationBounds(brokers=2))
    text = trace_page(
        SavedTrace(header, Trace(start)), SYSTEMS["replication"].describer, Glossary()
    )
    assert "<script>alert" not in text


def test_every_rule_of_a_run_has_its_text() -> None:
    """The rules that the steps name are in the page, each with its functions."""
    system = SYSTEMS["cluster"]
    content = run_content(
        run_of("leader-disk-fails").trace, system.describer, glossary_of(system)
    )
    named = {rule for action in content["actions"].values() for rule in action["rules"]}
    assert named == set(content["rules"])
    assert all(rule["functions"] for rule in content["rules"].values())
    assert named <= {rule.id for rule in rules()}


def test_the_glossary_has_the_text_of_a_property() -> None:
    """A page says what the broken property claims."""
    claim = "leader_isr_has_records_below_hw"
    assert "WeakIsr" in glossary_of(SYSTEMS["replication"], claim).claim
