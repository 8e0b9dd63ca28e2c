"""Kafka 4.1.1 as one protocol of controller, brokers and fetcher threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, cast

from replicheck.model.fetching import faults as of_fetchers
from replicheck.model.fetching import protocols as of_fetching
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import fetch_requests
from replicheck.model.fetching.broker import leader as of_leaders
from replicheck.model.fetching.fetchers import partition_errors
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.fetching.versions import truncation_on_fetch
from replicheck.model.fetching.versions.history import KAFKA_18991
from replicheck.model.kraft import protocols as of_kraft
from replicheck.model.kraft.broker import (
    directories,
    fetch_answers,
    metadata_publisher,
    process,
    replication,
)
from replicheck.model.kraft.controller import assignments, broker_lifecycle, elections
from replicheck.model.kraft_composed import broker, leader
from replicheck.model.kraft_composed.bounds import (
    KraftComposedBounds,
    bounds_of_fetchers,
)
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.kraft_composed.state import (
    PARTITION,
    KraftComposed,
    everyone_in_sync,
)
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.rules import function_named
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId

Meaning = Callable[[KraftComposed, KraftComposed, BrokerId], KraftComposed]


def on_fetchers(action: Action) -> Action:
    """An action of the fetcher threads as one of the whole cluster."""

    @wraps(action)
    def run(
        cluster: KraftComposed, *values: Any, **named: Any
    ) -> Iterator[KraftComposed]:
        for after in action(seen_by_fetchers(cluster), *values, **named):
            yield whole_of(after)

    return run


def beside_threads(action: Action, meaning: Meaning) -> Action:
    """An action of a broker with what it means for the threads there."""

    @wraps(action)
    def run(
        cluster: KraftComposed, broker: BrokerId, *values: Any, **named: Any
    ) -> Iterator[KraftComposed]:
        for after in action(cluster, broker, *values, **named):
            yield meaning(cluster, cast(KraftComposed, after), broker)

    return run


MEANINGS: dict[Action, Meaning] = {
    metadata_publisher.publish_metadata: broker.apply_delta,
    directories.fail_directory: broker.fail_directory,
    directories.stop_with_unreported_directory: broker.end_threads_with_process,
    process.crash: broker.end_threads_with_process,
    broker_lifecycle.begin_controlled_shutdown: broker.end_threads_with_process,
    broker_lifecycle.end_controlled_shutdown: broker.end_threads_with_process,
}
"""What actions of a broker mean for its fetcher threads."""
OF_BROKERS: dict[Action, Action] = {
    action: beside_threads(action, meaning) for action, meaning in MEANINGS.items()
}
"""The same actions with it."""
LEFT_OUT: tuple[Action, ...] = (
    replication.fetch,
    fetch_answers.answer_late,
    fetch_answers.receive_answer,
    fetch_answers.cut_log,
    directories.remove_directory,
    assignments.delete_topic,
    assignments.create_topic,
    elections.unregister_broker,
)
"""The copying that threads take the place of, and what no bound here allows."""
CONTROL = tuple(
    OF_BROKERS.get(action, action)
    for action in of_kraft.KAFKA_4_1.actions
    if action not in LEFT_OUT
)
FAULTS_OF_FETCHERS: tuple[Action, ...] = tuple(
    on_fetchers(action)
    for action in (
        of_fetchers.break_log,
        of_fetchers.corrupt_batch,
        of_fetchers.fail_call,
        of_fetchers.lose_call,
    )
)
FETCHER: tuple[Action, ...] = tuple(
    on_fetchers(action)
    for action in (
        fetch_requests.handle_fetch_request,
        truncating.fetch_truncating_partitions,
        truncating.truncate_to_high_watermark,
        fetching.maybe_fetch,
        truncation_on_fetch.process_fetch_request,
        truncation_on_fetch.truncate_on_fetch_response,
        partition_errors.expire_delay,
    )
)
"""What threads do. No replica fetcher asks where an epoch ends, but by a fetch."""


def with_rules_of_fetchers(whole: Protocol) -> Protocol:
    """A protocol whose threads are of Kafka 4.1, and its leaders of KRaft."""
    of_versions = {*KAFKA_18991.replacements} - {*of_fetching.KAFKA_2_5.replacements}
    for rule, by in sorted(of_versions):
        whole = whole.replacing(function_named(rule), by=function_named(by))
    return (
        whole.replacing(fetch_requests.read_records, by=leader.read_for_replica)
        .replacing(of_leaders.is_follower_in_sync, by=leader.expand_no_isr)
        .replacing(
            of_leaders.maybe_increment_leader_hw, by=leader.increment_high_watermark
        )
    )


KAFKA_4_1 = with_rules_of_fetchers(
    Protocol("kafka-4.1.1", (*CONTROL, *FAULTS_OF_FETCHERS, *FETCHER))
)
ENVIRONMENT: tuple[Action, ...] = tuple(
    OF_BROKERS.get(action, action)
    for action in of_kraft.ENVIRONMENT
    if action not in LEFT_OUT
)
NEEDED: dict[str, tuple[str, ...]] = {
    **{
        action.__name__: of_kraft.BUDGETS[action.__name__]
        for action in CONTROL
        if action.__name__ in of_kraft.BUDGETS
    },
    **{
        action.__name__: of_fetching.BUDGETS[action.__name__]
        for action in FAULTS_OF_FETCHERS
        if action.__name__ in of_fetching.BUDGETS
    },
    of_fetchers.fail_call.__name__: ("crashes", "shutdowns", "failure_timeouts"),
}
"""For actions, by name, the bounds of which one must allow them."""


def kraft_composed_model(
    protocol: Protocol = KAFKA_4_1,
    bounds: KraftComposedBounds = KraftComposedBounds(),
    start: KraftComposed | None = None,
) -> ProtocolModel:
    """The model of the whole under one protocol, within bounds, from one state on."""
    return ProtocolModel(
        "kraft-composed",
        protocol,
        bounds,
        everyone_in_sync,
        domains={
            BrokerId: bounds.broker_ids,
            DirectoryId: bounds.directory_ids,
            PartitionId: (PARTITION,),
            FetcherId: bounds_of_fetchers(bounds).fetcher_ids,
        },
        budgets=NEEDED,
        start=start,
    )
