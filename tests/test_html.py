"""Traces as HTML: what is in the file, before any browser shows it."""

from __future__ import annotations

import re

from attrs import evolve

from replicheck.cli.glossary import glossary_of
from replicheck.explorer.report import Trace
from replicheck.invariants.describing.models import VOICES
from replicheck.invariants.rules import rules
from replicheck.invariants.systems import SYSTEMS
from replicheck.model.cluster.cells.messages import Channel, StopReplicaRequest
from replicheck.model.replication.bounds import Bounds
from replicheck.model.replication.state import (
    Record,
    Replica,
    initial_cluster,
)
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    Epoch,
    RecordId,
)
from replicheck.traces.html.content import parts, run_content
from replicheck.traces.html.glossary import Glossary
from replicheck.traces.html.page import trace_page
from replicheck.traces.json_lines import Header, SavedTrace
from runs import run_of


def record(number: int, epoch: int) -> Record:
    """Return a record."""
    return Record(RecordId(number), Epoch(epoch))


def test_a_change_is_told_part_by_part() -> None:
    """Of a record only what differs, of a queue only what went or came."""
    stop = StopReplicaRequest(ControllerEpoch(1), BrokerEpoch(2), ())
    text = "StopReplicaRequest (controller_epoch 1, broker_epoch 2, partitions [])"
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
    text = trace_page(
        run_of("cluster-s2"), VOICES["cluster"], glossary_of(SYSTEMS["cluster"])
    )
    assert "default-src 'none'" in text
    addresses = re.findall(r"https?://[^\"'\s]*", text)
    assert addresses == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(?:link|img|iframe)|@import|src=", text)


def test_a_text_never_ends_the_script() -> None:
    """Whatever a clause says, it is text and no markup."""
    header = Header("s", "m", "p", clause="</script><script>alert(1)</script>")
    start = initial_cluster(Bounds(brokers=2))
    text = trace_page(
        SavedTrace(header, Trace(start)), VOICES["replication"], Glossary()
    )
    assert "<script>alert" not in text


def test_every_rule_of_a_run_has_its_text() -> None:
    """The rules that the steps name are in the page, each with its functions."""
    content = run_content(
        run_of("cluster-s2").trace, VOICES["cluster"], glossary_of(SYSTEMS["cluster"])
    )
    named = {rule for each in content["actions"].values() for rule in each["rules"]}
    assert named == set(content["rules"])
    assert all(each["functions"] for each in content["rules"].values())
    assert named <= {each.id for each in rules()}


def test_the_glossary_has_the_sentence_of_a_property() -> None:
    """A page says what the broken property claims."""
    claim = "a_leaders_isr_holds_every_record_that_it_committed"
    assert "WeakIsr" in glossary_of(SYSTEMS["replication"], claim).claim
