"""The reduction merge-redundant-responses leaves out states between two steps only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from reduced.cluster_states import KNOWN, images, late_error
from replicheck.model.cluster.broker import replica_roles
from replicheck.model.cluster.cells.channels import Answer, Channel
from replicheck.model.cluster.reductions import merged_responses
from replicheck.model.cluster.reductions.redundant_responses import repeats_known_answer
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId
from shipped import CATALOGUE
from slow import IS_NIGHTLY

AT_ONCE = "merge-redundant-responses"
LOST_ANSWER = """
summary = "A broker ends, and an answer that it gave gets lost"

[scenarios.lost-answer]
summary = "A broker ends, and an answer that it gave gets lost"
model = "cluster"
protocol = "{protocol}"
initial = "{initial}"
bounds = {{ brokers = 2, crashes = 1, restarts = 1, {more} = 1 }}

[[check]]
scenario = "lost-answer"
"""


def lost_answer(
    folder: Path,
    protocol: str = "kafka-2.5.1",
    initial: str = "with-topic",
    more: str = "metadata",
) -> str:
    """A suite in which an answer gets lost with the process that gave it.

    ``more`` is a bound that is 1 besides.
    """
    path = folder / f"lost-answer-{more}.toml"
    text = LOST_ANSWER.format(protocol=protocol, initial=initial, more=more)
    path.write_text(text, "utf-8")
    return str(path)


def without_answers_that_change_nothing(cluster: Cluster) -> Cluster:
    """A state without requests whose answers are known, or that will be refused."""
    brokers = cluster.bounds.broker_ids
    return cluster.evolve(
        channels={
            (controller, broker): requests_that_count(cluster, controller, broker)
            for controller in brokers
            for broker in brokers
        }
    )


def requests_that_count(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Channel:
    """A channel from the first request on that a process obeys, or answers with news.

    A process that does not run will refuse what its broker was asked before.
    """
    channel = cluster.channels[controller][broker]
    if not cluster.processes[broker].is_running:
        return evolve(channel, requests=(), answers=None)
    if channel.answers is not None and changes_nothing(cluster, controller, broker):
        channel = evolve(channel, requests=channel.requests[1:], answers=None)
    while channel.answers is None and channel.requests:
        epoch = channel.requests[0].broker_epoch
        if not cluster.processes[broker].has_epoch_above(epoch):
            break
        channel = evolve(channel, requests=channel.requests[1:])
    return channel


def changes_nothing(cluster: Cluster, controller: BrokerId, broker: BrokerId) -> bool:
    """Tell whether the answer on its way is no news, and not of a stale epoch."""
    answers = cluster.channels[controller][broker].answers or ()
    if any(answer in (Answer.STORAGE_ERROR, Answer.STALE) for _, answer in answers):
        return False
    context, queue = cluster.contexts[controller], cluster.event_queues[controller]
    return not any(
        context.holds_offline(broker, partition)
        or queue.tells_of_storage_error(broker, partition)
        for partition, answer in answers
        if answer is Answer.NONE
    )


def projected(name: str, *reductions: str) -> set[Cluster]:
    """All states of a scenario, without what changes nothing once it arrived."""
    found = images(name, *reductions)
    return {without_answers_that_change_nothing(state) for state in found}


def suites(folder: Path) -> list[str]:
    """Suites in which answers are news, get lost, or find a copy of their request."""
    short = [late_error(folder), lost_answer(folder)]
    long = ["failed-disk-is-replaced", lost_answer(folder, more="duplicates")]
    return [*short, *long] if IS_NIGHTLY else short


def test_the_states_are_those_with_no_answer_that_is_known(tmp_path: Path) -> None:
    """No more, and none is missing but those between two steps that are one."""
    for name in suites(tmp_path):
        whole, merged = images(name, KNOWN), images(name, KNOWN, AT_ONCE)
        assert merged < whole
        assert images(name, AT_ONCE) == merged
        assert projected(name, KNOWN, AT_ONCE) == projected(name, KNOWN)


def test_an_answer_that_is_news_is_on_its_way_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were each answer to arrive at once, there would be states fewer."""
    monkeypatch.setattr(merged_responses, "arrives_unnoticed", every_answer_does)
    late = late_error(tmp_path)
    assert projected(late, KNOWN, AT_ONCE) != projected(late, KNOWN)


def every_answer_does(cluster: Cluster, controller: BrokerId, broker: BrokerId) -> bool:
    """Take an answer for one that changes nothing, whatever it says."""
    return cluster.channels[controller][broker].is_answered()


def test_an_answer_of_a_stale_epoch_is_on_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a witness asks for it; were it merged as well, none would reach that."""
    late = late_error(tmp_path)
    assert any(answers_a_stale_epoch(state) for state in images(late, AT_ONCE))
    monkeypatch.setattr(merged_responses, "arrives_unnoticed", repeats_known_answer)
    assert not any(answers_a_stale_epoch(state) for state in images(late, AT_ONCE))


def answers_a_stale_epoch(cluster: Cluster) -> bool:
    """Tell whether an answer is on its way that the leader epoch is stale."""
    return any(
        channel.is_answered_with(partition, Answer.STALE)
        for channels in cluster.channels
        for channel in channels
        for partition in cluster.bounds.partition_ids
    )


@pytest.mark.parametrize(
    "protocol",
    [
        "m-16-ignore-broker-epoch",
        "n-1-overtake-in-line",
        "kafka-8526-try-one-directory",
        "m-6-take-every-error-for-offline",
    ],
)
def test_what_handles_requests_otherwise_is_not_merged(protocol: str) -> None:
    """The next process might obey a request whose answer got lost."""
    system: Any = CATALOGUE.systems["cluster"]
    reduction = system.reductions_by_name[AT_ONCE]
    assert not reduction.allows(system.protocols_by_name[protocol])


@pytest.mark.skipif(not IS_NIGHTLY, reason="two naive searches take two minutes")
def test_a_request_that_no_process_refuses_makes_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So protocols that take other requests for stale are refused."""
    protocol = "m-16-ignore-broker-epoch"
    name = lost_answer(tmp_path, protocol, "without-topic", "directory_failures")
    monkeypatch.setattr(merged_responses, "is_stale", replica_roles.is_newer)
    assert projected(name, KNOWN, AT_ONCE) != projected(name, KNOWN)
