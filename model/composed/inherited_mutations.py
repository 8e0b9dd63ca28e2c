"""Mutations of the cluster and of the fetching brokers, as ones of both together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, cast

from replicheck.model.cluster.broker import leader_and_isr, log_dirs, requests
from replicheck.model.cluster.mutations.mutated_protocols import MUTATIONS as OF_CLUSTER
from replicheck.model.composed import broker
from replicheck.model.composed.protocols import (
    KAFKA_2_5,
    OF_BROKERS,
    REPLICATION,
    on_fetchers,
)
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.mutations.mutated_protocols import (
    MUTATIONS as OF_FETCHING,
)
from replicheck.model.protocol import Action, Protocol
from replicheck.model.rules import function_named
from replicheck.model.vocabulary import BrokerId

TAKEN_OVER = (
    "b-isr-1-leave-the-own-isr",
    "b-ldf-1-mark-and-go-on-fetching",
    "b-lir-5-obey-and-go-on-fetching",
    "b-lir-6-lead-instead-of-following",
    "b-new-1-create-logs-only-if-new",
    "b-prod-1-acknowledge-at-once",
    "c-ctx-3-cache-election-before-write",
    "c-elect-6-elect-in-the-same-leader-epoch",
    "c-reasg-3-ignore-isr-change",
    "c-rsm-0-settle-in-any-state",
    "e-1-keep-an-epoch-that-has-no-record",
    "election-unclean-at-once",
    "f-alt-1-move-log-to-same-directory",
    "f-alt-4-begin-with-the-first",
    "f-alt-4-copy-all-at-once",
    "f-fail-1-fail-without-removing",
    "f-fetch-4-let-errors-end-the-thread",
    "f-mgr-3-remove-and-leave-the-failure",
    "f-oor-fetch-from-the-leaders-start",
    "f-ppd-3-skip-the-high-watermark",
    "k-2-begin-to-fetch-at-the-end",
    "k-6b-use-records-of-another-epoch",
    "kafka-15391-fail-a-directory-by-a-deletion",
    "kafka-1663-wait-for-a-signal",
    "kafka-1742-keep-deleted-topics",
    "kafka-3143-keep-offline-replicas-in-isr",
    "kafka-4443-lead-before-first-metadata",
    "kafka-6630-keep-offline-replicas",
    "kafka-6949-replace-logs-grown-since-read",
    "kafka-708-leave-a-dead-leader",
    "kafka-7235-compare-ids-only",
    "kafka-7313-forget-before-looking",
    "kafka-7482-skip-requests-to-leader-shutting-down",
    "kafka-7837-shrink-isr-of-stale-partition",
    "kafka-9089-leave-the-request",
    "kafka-9212-forget-the-new-epoch",
    "kafka-928-ignore-topics-in-later-terms",
    "kafka-9654-keep-epoch-of-unfinished-moves",
    "l-hw-commit-alone",
    "m-1-create-although-a-directory-is-offline",
    "m-10-elect-over-any-version",
    "m-12-fence-no-controller",
    "m-13-obey-deposed-controllers",
    "m-14-accept-a-smaller-epoch",
    "m-16-ignore-broker-epoch",
    "m-19-delete-all-notifications",
    "m-2-call-replicas-of-a-started-broker-new",
    "m-23-spare-live-brokers-a-stop",
    "m-25-cache-isr-before-write",
    "m-28-take-an-offline-replica-for-deleted",
    "m-30-hide-offline-directories",
    "m-31-run-on-without-a-directory",
    "m-34-store-target-assignment-first",
    "m-37-acknowledge-with-too-few-in-sync",
    "m-4-elect-any-live-broker",
    "minor-7334-read-adding-as-removing-replicas",
    "n-1-overtake-in-line",
    "reassignment-complete-at-once",
    "z-ctrl-1-elect-in-the-same-controller-epoch",
    "z-ctrl-2-delete-the-controller-epoch",
    "z-isrn-1-drop-isr-changes",
)
"""Mutations of either model, one for each property of which there is no other."""
Meaning = Callable[[Composed, Composed, BrokerId], Composed]
MEANINGS: dict[Action, Meaning] = {
    leader_and_isr.handle_leader_and_isr: broker.become_leader_or_follower,
    requests.handle_stop_replica: broker.stop_fetching,
    log_dirs.mark_replicas_offline: broker.fail_fetching,
    log_dirs.close_directory: broker.move_fetchers,
}
"""What an action that runs in one's place means for the threads of a broker."""
BY_NAME = {action.__name__: action for action in KAFKA_2_5.actions}


def of_both() -> Iterator[tuple[str, Protocol]]:
    """Yield the mutations that are taken over, by their names there."""
    by_name = {mutation.name: mutation for mutation in (*OF_CLUSTER, *OF_FETCHING)}
    for name in TAKEN_OVER:
        yield name, as_one_of_both(by_name[name])


def as_one_of_both(mutation: Protocol) -> Protocol:
    """A mutation of one model as a mutation of the whole."""
    original, whole = mutation.original, KAFKA_2_5
    assert original is not None, "it is a mutation"
    for old, new in zip(original.actions, mutation.actions, strict=True):
        if old is not new:
            whole = whole.replacing(BY_NAME[old.__name__], by=as_action(old, new))
    for rule, by in sorted({*mutation.replacements} - {*original.replacements}):
        whole = whole.replacing(function_named(rule), by=function_named(by))
    return whole


def as_action(old: Action, new: Action) -> Action:
    """An action as one of the whole, where it is to run in another's place."""
    if old in OF_BROKERS:
        return beside_threads(new, MEANINGS[old])
    if BY_NAME[old.__name__] in REPLICATION:
        return on_fetchers(new)
    return new


def beside_threads(action: Action, meaning: Meaning) -> Action:
    """An action of the cluster with what it means for a broker's threads."""
    signature = inspect.signature(action)

    @wraps(action)
    def run(cluster: Composed, *values: Any, **named: Any) -> Iterator[Composed]:
        asked = signature.bind(cluster, *values, **named).arguments["broker"]
        for after in action(cluster, *values, **named):
            yield meaning(cluster, cast(Composed, after), asked)

    return run
