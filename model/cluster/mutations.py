"""Mutations: Kafka 2.5.1 with one rule broken on purpose.

Each replaces transition functions by others that are spelled out here, so that the
protocol itself has no switch for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import leader_and_isr, log_dirs, replication
from replicheck.model.cluster.broker.high_watermark import commit_up_to_all_of
from replicheck.model.cluster.cells.messages import (
    Answer,
    LeaderAndIsrRequest,
)
from replicheck.model.cluster.cells.thread import (
    BrokerChange,
    DeleteNotifications,
    LeaderAndIsrResponseReceived,
    ListNotifications,
    OnBrokerStartup,
    ReadForElection,
    StartReplicaStateMachine,
)
from replicheck.model.cluster.cells.znodes import LeaderAndIsr, ZooKeeperPath
from replicheck.model.cluster.controller import (
    election,
    events,
    failover,
    isr_removal,
    partition_states,
    sending,
)
from replicheck.model.cluster.controller.replica_states import replicas_become_offline
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches
from replicheck.model.protocol import Protocol
from replicheck.model.replication.state import Record
from replicheck.model.vocabulary import (
    BrokerId,
    ControllerEpoch,
    DirectoryId,
    Epoch,
    RecordId,
)


def create_although_a_directory_is_offline(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A replica that is not found is created, whatever it may be on (M-1, B-NEW-1)."""

    def first_good(
        cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
    ) -> DirectoryId | None:
        as_new = evolve(request, is_new=True)
        return leader_and_isr.directory_for_new_log(cluster, broker, as_new)

    yield from leader_and_isr.obey(cluster, controller, broker, creation=first_good)


def call_replicas_of_a_started_broker_new(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Whoever starts is told to create its replicas (M-2, C-NEW-1)."""
    yield from events.start_brokers(cluster, controller, is_new=True)


def call_no_replica_new(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """Nobody is told to create the first replicas (M-3, C-PSM-2)."""
    yield from partition_states.initialize(cluster, controller, is_new=False)


def take_only_dead_leaders_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A leader on an offline directory counts as online (M-4, C-CTX-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    context = cluster.contexts[controller]
    if event.answer is not Answer.STORAGE_ERROR or context.holds_offline(event.broker):
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    queues = {controller: cluster.event_queues[controller].pop()}
    cluster = cluster.evolve(event_queues=queues)
    brokers = frozenset({event.broker})
    for each, then in replicas_become_offline(cluster, controller, context, brokers):
        yield cluster.evolve(
            contexts={controller: each.mark_offline(event.broker)},
            threads={controller: cluster.threads[controller].begin(then)},
        )


def elect_any_live_broker(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A replica on an offline directory can be elected (M-4, C-CTX-1)."""
    if not cluster.threads[controller].is_at(ReadForElection):
        return
    live = tuple(sorted(cluster.contexts[controller].live_brokers))
    yield partition_states.choose_leader(cluster, controller, live)


def take_every_error_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Any error, also of a stale request, makes a replica offline (M-6, C-LDE-2)."""
    event = _response(cluster, controller)
    if event is None:
        return
    context = cluster.contexts[controller]
    if event.answer is not Answer.STALE or context.holds_offline(event.broker):
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    queues = {controller: cluster.event_queues[controller].pop()}
    cluster = cluster.evolve(event_queues=queues)
    yield from events.learn_of_offline_replica(cluster, controller, event.broker)


def take_stale_for_healthy(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """An answer that the epoch is known says that all is well (M-7, C-LIR-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    if event.answer is not Answer.STALE:
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    context = cluster.contexts[controller].mark_online(event.broker)
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        contexts={controller: context},
    )


def remove_the_last_member(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The ISR becomes empty (M-8, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        left = isr_removal.without(content, broker, epoch)
        return evolve(left, isr=content.isr - {broker})

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


def remove_without_a_new_epoch(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The leader takes the smaller ISR for what it knew (M-9, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        left = isr_removal.without(content, broker, epoch)
        return evolve(left, epoch=content.epoch)

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


def obey_deposed_controllers(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The controller epoch of a request is not compared (M-13, B-CHK-2)."""

    def is_for_a_process_before(
        cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
    ) -> bool:
        process = cluster.processes[broker]
        return bool(process.has_epoch_above(request.broker_epoch))

    yield from leader_and_isr.obey(
        cluster, controller, broker, refuses=is_for_a_process_before
    )


def accept_an_equal_epoch(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A request with the replica's own epoch is obeyed again (M-15, B-LIR-4)."""

    def is_as_new(cluster: Cluster, broker: BrokerId, epoch: Epoch) -> bool:
        return bool(cluster.replicas[broker].is_behind(Epoch(epoch + 1)))

    yield from leader_and_isr.obey(cluster, controller, broker, accepts=is_as_new)


def obey_what_was_meant_for_a_process_before(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker epoch of a request is not compared (M-16, B-CHK-1)."""

    def is_of_a_deposed_controller(
        cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
    ) -> bool:
        process = cluster.processes[broker]
        return bool(process.knows_controller_above(request.controller_epoch))

    yield from leader_and_isr.obey(
        cluster, controller, broker, refuses=is_of_a_deposed_controller
    )


def take_a_bounce_for_a_start(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A broker that bounced keeps its leadership and its ISR (M-17, C-BRK-1)."""
    if not election.may_handle(cluster, controller, BrokerChange):
        return
    known, current, after = events.read_broker_change(cluster, controller)
    bounced = [
        broker
        for broker, epoch in current.items()
        if known[broker] and epoch and epoch != known[broker]
    ]
    if not bounced:
        yield from events.handle_broker_change(cluster, controller)
        return
    epochs = tuple(current.values())
    start = OnBrokerStartup(sending.epochs_of(bounced, epochs))
    yield after.evolve(
        channels={
            (controller, each): after.channels[controller][each].clear()
            for each in bounced
        },
        threads={controller: after.threads[controller].begin((start,))},
    )


def notify_before_marking(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler notifies the controller first of all (M-18, B-LDF-3)."""
    if not log_dirs.may_begin(cluster, broker, directory):
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    yield cluster.evolve(
        notifications=cluster.notifications.create(broker),
        handlers={broker: cluster.handlers[broker].mark(directory)},
    )


def mark_when_closing(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler marks replicas when it closes, and ends with that (M-18, B-LDF-3)."""
    if not cluster.handlers[broker].has_marked(directory):
        return
    replica = cluster.replicas[broker]
    if replica.is_online() and replica.is_in_directory(directory):
        cluster = leader_and_isr.mark_offline(cluster, broker)
    cluster = log_dirs.take_out_of_use(cluster, broker, directory)
    yield cluster.evolve(handlers={broker: cluster.handlers[broker].finish()})


def delete_all_notifications(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Notifications that came after the list are deleted too (M-19, Z-LDE-1)."""
    if not cluster.threads[controller].is_at(DeleteNotifications):
        return
    if election.is_fenced(cluster, controller):
        yield election.resign(cluster, controller)
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    nodes = cluster.notifications.nodes
    yield cluster.evolve(
        notifications=cluster.notifications.delete(nodes),
        threads={controller: cluster.threads[controller].finish(())},
    )


def start_without_asking(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller asks nobody about replicas (M-20, C-INIT-1)."""
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    for after in failover.start_replica_state_machine(cluster, controller):
        yield after.evolve(
            channels={
                (controller, each): cluster.channels[controller][each].clear()
                for each in cluster.bounds.broker_ids
            }
        )


def delete_notifications_last(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller deletes what came during its start (M-21, C-INIT-1).

    It lists the notifications again, after all brokers were asked.
    """
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    for after in failover.start_replica_state_machine(cluster, controller):
        listing = (ListNotifications(),)
        yield after.evolve(
            threads={controller: after.threads[controller].begin(listing)}
        )


def cache_the_isr_before_it_is_stored(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> Iterator[Cluster]:
    """A leader believes in an ISR that was not written yet (M-25, B-ISR-1)."""
    if not cluster.faults.allow("isr_shrinks"):
        return
    if not replication.lags(cluster, leader, follower):
        return
    replica = cluster.replicas[leader]
    cached = replica.with_isr(replica.isr - {follower}, replica.version)
    yield cluster.evolve(
        replicas={leader: cached}, faults=cluster.faults.spend("isr_shrinks")
    )


def let_followers_join_below_the_epoch(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> Iterator[Cluster]:
    """The start of the leader's epoch is not compared (M-26, B-ISR-2)."""
    yield from replication.serve_fetch(
        cluster, leader, follower, replication.reaches_high_watermark
    )


def commit_alone(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A leader commits what no follower has (M-27, B-HW-1)."""
    if cluster.next_record >= cluster.bounds.records:
        return
    if not cluster.presumes_leadership(leader):
        return
    epoch = cluster.replicas[leader].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    directory = cluster.directory_of(leader)
    record = Record(RecordId(cluster.next_record), epoch)
    cluster = cluster.evolve(
        logs={(leader, directory): cluster.logs[leader][directory].append(record)},
        next_record=RecordId(cluster.next_record + 1),
    )
    yield commit_up_to_all_of(cluster, leader, ())


def run_on_without_a_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """A broker whose last directory fails does not halt (M-31, B-LDF-2)."""
    if cluster.handlers[broker].has_marked(directory):
        yield log_dirs.take_out_of_use(cluster, broker, directory)


def _response(
    cluster: Cluster, controller: BrokerId
) -> LeaderAndIsrResponseReceived | None:
    """Return the response that the controller can handle next, if there is one."""
    if not election.may_handle(cluster, controller, LeaderAndIsrResponseReceived):
        return None
    event = cluster.event_queues[controller].head
    assert isinstance(event, LeaderAndIsrResponseReceived)
    return event


MUTATIONS: dict[str, Protocol] = {
    name: protocol.named(name)
    for name, protocol in {
        "m-1-create-although-a-directory-is-offline": KAFKA_2_5.replacing(
            leader_and_isr.handle_leader_and_isr,
            by=create_although_a_directory_is_offline,
        ),
        "m-2-call-replicas-of-a-started-broker-new": KAFKA_2_5.replacing(
            events.on_broker_startup, by=call_replicas_of_a_started_broker_new
        ),
        "m-3-call-no-replica-new": KAFKA_2_5.replacing(
            partition_states.initialize_partition, by=call_no_replica_new
        ),
        "m-4-take-only-dead-leaders-for-offline": KAFKA_2_5.replacing(
            events.handle_leader_and_isr_response, by=take_only_dead_leaders_for_offline
        ),
        "m-4-elect-any-live-broker": KAFKA_2_5.replacing(
            partition_states.read_for_election, by=elect_any_live_broker
        ),
        "m-6-take-every-error-for-offline": KAFKA_2_5.replacing(
            events.handle_leader_and_isr_response, by=take_every_error_for_offline
        ),
        "m-7-take-stale-for-healthy": KAFKA_2_5.replacing(
            events.handle_leader_and_isr_response, by=take_stale_for_healthy
        ),
        "m-8-remove-the-last-member": KAFKA_2_5.replacing(
            isr_removal.read_for_isr_removal, by=remove_the_last_member
        ),
        "m-9-remove-without-a-new-epoch": KAFKA_2_5.replacing(
            isr_removal.read_for_isr_removal, by=remove_without_a_new_epoch
        ),
        "m-13-obey-deposed-controllers": KAFKA_2_5.replacing(
            leader_and_isr.handle_leader_and_isr, by=obey_deposed_controllers
        ),
        "m-15-accept-an-equal-epoch": KAFKA_2_5.replacing(
            leader_and_isr.handle_leader_and_isr, by=accept_an_equal_epoch
        ),
        "m-16-obey-what-was-meant-for-a-process-before": KAFKA_2_5.replacing(
            leader_and_isr.handle_leader_and_isr,
            by=obey_what_was_meant_for_a_process_before,
        ),
        "m-17-take-a-bounce-for-a-start": KAFKA_2_5.replacing(
            events.handle_broker_change, by=take_a_bounce_for_a_start
        ),
        "m-18-notify-before-marking": KAFKA_2_5.replacing(
            log_dirs.mark_replicas_offline, by=notify_before_marking
        ).replacing(log_dirs.close_directory, by=mark_when_closing),
        "m-19-delete-all-notifications": KAFKA_2_5.replacing(
            events.delete_notifications, by=delete_all_notifications
        ),
        "m-20-start-without-asking": KAFKA_2_5.replacing(
            failover.start_replica_state_machine, by=start_without_asking
        ),
        "m-21-delete-notifications-last": KAFKA_2_5.replacing(
            failover.start_replica_state_machine, by=delete_notifications_last
        ),
        "m-25-cache-the-isr-before-it-is-stored": KAFKA_2_5.replacing(
            replication.shrink_isr, by=cache_the_isr_before_it_is_stored
        ),
        "m-26-let-followers-join-below-the-epoch": KAFKA_2_5.replacing(
            replication.fetch, by=let_followers_join_below_the_epoch
        ),
        "m-27-commit-alone": KAFKA_2_5.replacing(replication.append, by=commit_alone),
        "m-31-run-on-without-a-directory": KAFKA_2_5.replacing(
            log_dirs.close_directory, by=run_on_without_a_directory
        ),
    }.items()
}
"""Each mutation as a protocol; its name begins with its id."""
