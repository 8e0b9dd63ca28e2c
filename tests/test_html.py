"""Traces as HTML: what is in the file, before any browser shows it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from attrs import evolve

from replicheck.cli.glossary import glossary_of
from replicheck.explorer.cells import Cell, Layout
from replicheck.explorer.report import Trace
from replicheck.invariants.rules import rules
from replicheck.invariants.systems import CLUSTER, REPLICATION
from replicheck.model.cluster.cells.messages import Channel, StopReplicaRequest
from replicheck.model.replication.bounds import Bounds
from replicheck.model.replication.state import (
    LeaderAndIsr,
    Log,
    Record,
    Replica,
    initial_cluster,
)
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    Epoch,
    Offset,
    RecordId,
)
from replicheck.traces.html.content import parts, run_content
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.html.page import trace_page
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.lanes import Message, lanes, messages
from replicheck.traces.strips import Run, strips
from runs import run_of


def record(number: int, epoch: int) -> Record:
    """Return a record."""
    return Record(RecordId(number), Epoch(epoch))


def test_a_strip_shows_epochs_offsets_and_marks() -> None:
    """A log is drawn as epochs, with its watermark, its end and who believes what."""
    me, both = BrokerId(0), frozenset({BrokerId(0), BrokerId(1)})
    log = Log((record(0, 0), record(1, 2), record(2, 2)))
    start = initial_cluster(Bounds(brokers=2))
    cluster = start.evolve(
        logs={0: log},
        replicas={0: Replica(Offset(1), Epoch(2), me, both)},
        partition_state=LeaderAndIsr(me, Epoch(2), frozenset({me})),
    )
    first, second = strips(Layout.of(cluster), cluster)
    assert first.runs == (Run(0, 0, ("r0@e0",)), Run(2, 1, ("r1@e2", "r2@e2")))
    assert (first.high_watermark, first.end_offset) == (1, 3)
    assert first.marks == (
        "leads in epoch 2, ISR {0, 1}",
        "stored leader",
        "in stored ISR",
    )
    assert (second.runs, second.marks) == ((), ())


def test_a_strip_names_the_directory() -> None:
    """With log directories, only a log that exists has a strip."""
    found = run_of("cluster-s2").trace.states
    layout = Layout.of(found[0])
    assert [each.name for each in strips(layout, found[0])] == [
        "broker 0, directory 0",
        "broker 1, directory 0",
        "broker 2, directory 0",
    ]
    assert "offline" in strips(layout, found[-1])[0].marks


@pytest.mark.parametrize(
    ("action", "arguments", "changed", "told"),
    [
        (
            "handle_leader_and_isr",
            {"controller": 2, "broker": 1},
            [Cell("replicas", (1,))],
            [("broker 2", "broker 1")],
        ),
        (
            "receive_response",
            {"controller": 2, "broker": 1},
            [Cell("channels", (2, 1))],
            [("broker 1", "broker 2")],
        ),
        ("handle_stop_replica", {"controller": 1, "broker": 1}, [], []),
        (
            "fetch",
            {"leader": 1, "follower": 0},
            [Cell("logs", (0,))],
            [("broker 1", "broker 0")],
        ),
        (
            "fetch",
            {"leader": 1, "follower": 0},
            [Cell("remotes", (1,))],
            [("broker 0", "broker 1")],
        ),
        (
            "write_election",
            {"controller": 0},
            [Cell("partition_node")],
            [("broker 0", "ZooKeeper")],
        ),
        ("read_brokers", {"controller": 0}, [], [("ZooKeeper", "broker 0")]),
        ("tick", {}, [Cell("partition_node")], []),
    ],
)
def test_who_tells_whom(
    action: str, arguments: Any, changed: list[Cell], told: list[tuple[str, str]]
) -> None:
    """The arguments of a step and the cells that it changed give its messages."""
    assert messages(action, arguments, changed) == tuple(Message(*x) for x in told)


def test_lanes_are_zookeeper_and_the_brokers() -> None:
    """Every place of the cluster where something happens has a lane."""
    start = run_of("cluster-s2").trace.start
    assert lanes(Layout.of(start)) == ("ZooKeeper", "broker 0", "broker 1", "broker 2")


def test_a_change_is_told_part_by_part() -> None:
    """Of a record only what differs, of a queue only what went or came."""
    stop = StopReplicaRequest(ControllerEpoch(1), BrokerEpoch(2))
    text = "StopReplicaRequest (controller_epoch 1, broker_epoch 2)"
    assert list(parts(Channel(), Channel((stop,)))) == [("requests", "", text)]
    assert list(parts(Channel((stop,)), Channel())) == [("requests", text, "")]
    later = evolve(stop, broker_epoch=BrokerEpoch(3))
    assert list(parts(Channel((stop, later)), Channel((later,)))) == [
        ("requests", text, "")
    ]
    assert list(parts(Replica(), evolve(Replica(), leader=BrokerId(1)))) == [
        ("leader", "none", "1")
    ]
    assert list(parts(record(0, 0), record(1, 0))) == [("", "r0@e0", "r1@e0")]


def test_a_page_asks_nothing_of_a_network() -> None:
    """No address is in it, and its policy would forbid each of them."""
    text = trace_page(run_of("cluster-s2"), glossary_of(CLUSTER))
    assert "default-src 'none'" in text
    addresses = re.findall(r"https?://[^\"'\s]*", text)
    assert addresses == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(?:link|img|iframe)|@import|src=", text)


def test_a_text_never_ends_the_script() -> None:
    """Whatever a clause says, it is text and no markup."""
    header = Header("s", "m", "p", clause="</script><script>alert(1)</script>")
    start = initial_cluster(Bounds(brokers=2))
    text = trace_page(SavedTrace(header, Trace(start)), Glossary())
    assert "<script>alert" not in text


def test_every_rule_of_a_run_has_its_text() -> None:
    """The rules that the steps name are in the page, each with its functions."""
    content = run_content(run_of("cluster-s2").trace, glossary_of(CLUSTER))
    named = {rule for each in content["actions"].values() for rule in each["rules"]}
    assert named == set(content["rules"])
    assert all(each["functions"] for each in content["rules"].values())
    assert named <= {each.id for each in rules()}


def test_the_glossary_has_the_sentence_of_a_property() -> None:
    """A page says what the broken property claims."""
    claim = "a_leaders_isr_holds_every_record_that_it_committed"
    assert "WeakIsr" in glossary_of(REPLICATION, claim).claim
