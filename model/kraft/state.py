"""The state of the cluster, and the one in which runs begin."""

from __future__ import annotations

from attrs import field, frozen

from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.cells.alter_partition import AlterPartitionChannel
from replicheck.model.kraft.cells.assignment import AssignmentChannel
from replicheck.model.kraft.cells.disks import BrokerDisks
from replicheck.model.kraft.cells.fetcher import FollowerFetcher
from replicheck.model.kraft.cells.history import AcknowledgedRecords, AppendedRecords
from replicheck.model.kraft.cells.log_move import LogMove
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    MetadataImage,
    MetadataLog,
    PartitionRegistration,
)
from replicheck.model.kraft.cells.partition import FollowerState, KraftPartition
from replicheck.model.kraft.cells.process import BrokerProcess
from replicheck.model.rules import Replacements
from replicheck.model.shared.budgets import Budgets
from replicheck.model.shared.records import Log
from replicheck.model.state_base import Cells
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    DirectoryId,
    Offset,
    RecordId,
)


@frozen
class KraftFaults(Budgets):
    """How often each event from outside can still happen."""

    crashes: int
    restarts: int
    lost_tails: int
    shutdowns: int
    fences: int
    isr_shrinks: int
    preferred_elections: int
    unclean_elections: int
    min_isr_changes: int
    controller_failovers: int
    directory_failures: int
    removed_directories: int
    registration_refreshes: int
    failure_timeouts: int
    reassignments: int
    reassignment_cancels: int
    topic_deletions: int
    elr_downgrades: int
    late_answers: int
    moves: int
    topic_creations: int
    unregistrations: int


@frozen
class KraftCluster(Cells):
    """The whole state.

    ``stored``, ``registrations`` and ``min_isr`` are the active controller's memory,
    which is the last image of the metadata log, committed or not. ``shutdown_offsets``
    are the controller's, too, but lost at a failover: the offset of each broker's
    controlled shutdown, and ``sessions``, of brokers that it fences if silent.
    ``caches`` have the image that each broker has applied.
    ``followers[leader][follower]`` is what a leader knows of a follower. ``disks`` are
    the log directories of each broker, and ``fetchers`` its threads that wait for an
    answer. ``moves`` are the future logs, and ``assignments`` what each broker has told
    of directories. ``has_elr`` and ``elr_index`` are the
    controller's, too: whether the feature is on, and which brokers it takes for members
    of the ELR. ``behind_no_op`` are the brokers that have not applied the last record
    that says nothing. ``asked_replicas`` is a ghost: the target of the last
    reassignment, or nothing. So is ``appended``: for each record, the topic of the
    leader that appended it.
    """

    bounds: KraftBounds = field(eq=False)
    stored: PartitionRegistration
    registrations: tuple[BrokerRegistration, ...]
    min_isr: int
    has_elr: bool
    elr_index: frozenset[BrokerId]
    metadata: MetadataLog
    shutdown_offsets: tuple[int | None, ...]
    sessions: frozenset[BrokerId]
    processes: tuple[BrokerProcess, ...]
    caches: tuple[MetadataImage, ...]
    partitions: tuple[KraftPartition, ...]
    followers: tuple[tuple[FollowerState, ...], ...]
    logs: tuple[Log, ...]
    disks: tuple[BrokerDisks, ...]
    channels: tuple[AlterPartitionChannel, ...]
    fetchers: tuple[FollowerFetcher, ...]
    moves: tuple[LogMove, ...]
    assignments: tuple[AssignmentChannel, ...]
    faults: KraftFaults
    acknowledged: AcknowledgedRecords = AcknowledgedRecords()
    next_record: RecordId = RecordId(0)
    asked_replicas: frozenset[BrokerId] = frozenset()
    appended: AppendedRecords = AppendedRecords()
    behind_no_op: frozenset[BrokerId] = frozenset()
    replacements: Replacements = field(default=(), eq=False)

    def empty_log(self) -> Log:
        """A log without records."""
        return Log()

    def leads(self, broker: BrokerId) -> bool:
        """Tell whether a broker runs and believes that it leads."""
        return self.processes[broker].has_published and self.partitions[
            broker
        ].is_led_by(broker)

    def leads_in_metadata(self, broker: BrokerId) -> bool:
        """Tell whether a broker leads and serves, in the controller's leader epoch."""
        if not self.processes[broker].is_serving:
            return False
        if not self.stored.is_led_by(broker) or not self.leads(broker):
            return False
        if not self.partitions[broker].is_of(self.stored.topic_id):
            return False
        return self.partitions[broker].is_in(broker, self.stored.leader_epoch)

    def follows(self, follower: BrokerId, leader: BrokerId) -> bool:
        """Tell whether a broker follows another, which leads, in the same epoch."""
        if follower == leader or not self.leads(leader):
            return False
        if not self.processes[leader].is_serving:
            return False
        if not self.processes[follower].has_published:
            return False
        if not self.partitions[leader].has_replica(follower):
            return False
        if not self.partitions[follower].is_of(self.partitions[leader].topic_id):
            return False
        epoch = self.partitions[leader].leader_epoch
        return self.partitions[follower].is_in(leader, epoch)

    def is_active(self, broker: BrokerId) -> bool:
        """Tell whether a broker can be elected and join an ISR."""
        return self.registrations[broker].is_active

    def active(self) -> frozenset[BrokerId]:
        """The brokers that can be elected and join an ISR."""
        return frozenset(
            broker for broker in self.bounds.broker_ids if self.is_active(broker)
        )

    def registered(self) -> tuple[BrokerId, ...]:
        """The brokers that no operator took out, in the order of the ids."""
        return tuple(
            broker
            for broker in self.bounds.broker_ids
            if not self.registrations[broker].is_unregistered
        )

    def has_online_directory(self, broker: BrokerId) -> bool:
        """Tell whether a broker's replica lies in a directory that counts as online.

        Rules: KR-DIR-3.  Source: DirectoryId.isOnline.
        """
        directory = self.stored.directories[broker]
        return self.registrations[broker].has_online(directory)

    def acceptable(self) -> frozenset[BrokerId]:
        """The brokers that can lead: active, with the replica's directory online.

        Source: ReplicationControlManager.LeaderAcceptor.
        """
        return frozenset(
            broker
            for broker in self.bounds.broker_ids
            if self.is_active(broker) and self.has_online_directory(broker)
        )

    def is_alive(self, broker: BrokerId) -> bool:
        """Tell whether the process that is registered runs."""
        process = self.processes[broker]
        return process.is_running and self.is_registered(broker, process.epoch)

    def is_registered(self, broker: BrokerId, epoch: BrokerEpoch | None) -> bool:
        """Tell whether a broker is registered in an epoch."""
        return self.registrations[broker].is_in(epoch)


def everyone_in_sync(bounds: KraftBounds) -> KraftCluster:
    """The cluster with all brokers unfenced, all replicas in sync, and no records."""
    leader = BrokerId(bounds.first_leader)
    replicas = bounds.first_replicas
    directories = frozenset(bounds.directory_ids)
    stored = PartitionRegistration(
        isr=frozenset(replicas),
        leader=leader,
        directories=tuple(
            bounds.first_directory if broker in replicas else None
            for broker in bounds.broker_ids
        ),
        replicas=replicas,
    )
    registrations = tuple(
        BrokerRegistration(BrokerEpoch(0), 0, directories) for _ in bounds.broker_ids
    )
    assignment = DirectoryId(0) if bounds.first_directory is None else None
    has_elr = bounds.has_eligible_leader_replicas
    image = MetadataImage(stored, registrations, bounds.min_isr, has_elr, frozenset())
    return KraftCluster(
        bounds=bounds,
        stored=stored,
        registrations=registrations,
        min_isr=bounds.min_isr,
        has_elr=has_elr,
        elr_index=frozenset(),
        metadata=MetadataLog((image,)),
        shutdown_offsets=tuple(None for _ in bounds.broker_ids),
        sessions=frozenset(bounds.broker_ids),
        processes=tuple(
            BrokerProcess(
                directories=directories,
                assignment=assignment if broker in replicas else None,
            )
            for broker in bounds.broker_ids
        ),
        caches=tuple(image for _ in bounds.broker_ids),
        partitions=tuple(
            KraftPartition().lead(stored, Offset(0))
            if broker == leader
            else KraftPartition().follow(stored)
            if broker in replicas
            else KraftPartition()
            for broker in bounds.broker_ids
        ),
        followers=tuple(
            tuple(FollowerState() for _ in bounds.broker_ids) for _ in bounds.broker_ids
        ),
        logs=tuple(Log() for _ in bounds.broker_ids),
        disks=tuple(BrokerDisks(directories) for _ in bounds.broker_ids),
        channels=tuple(AlterPartitionChannel() for _ in bounds.broker_ids),
        fetchers=tuple(FollowerFetcher() for _ in bounds.broker_ids),
        moves=tuple(LogMove() for _ in bounds.broker_ids),
        assignments=tuple(AssignmentChannel() for _ in bounds.broker_ids),
        faults=KraftFaults(
            crashes=bounds.crashes,
            restarts=bounds.restarts,
            lost_tails=bounds.lost_tails,
            shutdowns=bounds.shutdowns,
            fences=bounds.fences,
            isr_shrinks=bounds.isr_shrinks,
            preferred_elections=bounds.preferred_elections,
            unclean_elections=bounds.unclean_elections,
            min_isr_changes=bounds.min_isr_changes,
            controller_failovers=bounds.controller_failovers,
            directory_failures=bounds.directory_failures,
            removed_directories=bounds.removed_directories,
            registration_refreshes=bounds.registration_refreshes,
            failure_timeouts=bounds.failure_timeouts,
            reassignments=bounds.reassignments,
            reassignment_cancels=bounds.reassignment_cancels,
            topic_deletions=bounds.topic_deletions,
            elr_downgrades=bounds.elr_downgrades,
            late_answers=bounds.late_answers,
            moves=bounds.moves,
            topic_creations=bounds.topic_creations,
            unregistrations=bounds.unregistrations,
        ),
    )
