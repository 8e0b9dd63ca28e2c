"""Kafka 2.5.1 as a protocol, and the model that runs it from a state on."""

from __future__ import annotations

from replicheck.model.fetching import client_reads, controller, faults
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.broker import (
    caught_up_followers,
    epoch_requests,
    fetch_requests,
    leader,
    processes,
    refused_requests,
    replica_manager,
    replica_removal,
    shutdown_markers,
    stalled_updates,
)
from replicheck.model.fetching.fetchers import partition_errors, thread_pool
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.log_moves import alter_log_dirs
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId

ENVIRONMENT: tuple[Action, ...] = (
    controller.elect_leader,
    controller.elect_leader_uncleanly,
    controller.lose_request,
    controller.repeat_request,
    processes.crash,
    processes.lose_tail,
    processes.lose_log_start,
    shutdown_markers.shut_down,
    shutdown_markers.crash_while_loading,
    shutdown_markers.fail_to_start,
    processes.restart,
    faults.fail_directory,
    faults.break_log,
    faults.break_thread,
    faults.corrupt_batch,
    faults.fail_call,
    faults.lose_call,
    alter_log_dirs.alter_replica_log_dirs,
)
REPLICA_MANAGER: tuple[Action, ...] = (
    replica_manager.make_leaders,
    replica_manager.make_leader,
    replica_manager.fail_to_create_log,
    refused_requests.refuse_leader_and_isr,
    replica_manager.make_followers,
    replica_manager.replace_fetcher,
    refused_requests.ignore_unknown_leader,
    refused_requests.abort_request,
    replica_removal.stop_replica,
    replica_removal.stop_and_delete_replica,
    replica_removal.handle_log_dir_failure,
    alter_log_dirs.move_on,
    alter_log_dirs.handle_future_log_dir_failure,
    alter_log_dirs.shutdown_idle_replica_alter_log_dirs_thread,
    processes.checkpoint_high_watermarks,
    thread_pool.resize_thread_pool,
    thread_pool.migrate_partitions,
)
LEADER: tuple[Action, ...] = (
    leader.append_records_to_leader,
    leader.maybe_shrink_isr,
    leader.delete_records,
    epoch_requests.handle_offset_for_leader_epoch_request,
    fetch_requests.handle_fetch_request,
    fetch_requests.respond_immediately,
    client_reads.consume,
    stalled_updates.stall_after_read,
    stalled_updates.record_late,
    caught_up_followers.catch_up,
    caught_up_followers.fall_behind,
)
FETCHER: tuple[Action, ...] = (
    truncating.fetch_truncating_partitions,
    truncating.truncate_to_epoch_end_offsets,
    truncating.truncate_to_high_watermark,
    fetching.maybe_fetch,
    fetching.process_fetch_request,
    partition_errors.expire_delay,
)
KAFKA_2_5 = Protocol("kafka-2.5.1", ENVIRONMENT + REPLICA_MANAGER + LEADER + FETCHER)

BUDGETS: dict[str, tuple[str, ...]] = {
    "elect_leader_uncleanly": ("unclean_elections",),
    "lose_request": ("lost_requests",),
    "repeat_request": ("repeated_requests",),
    "refuse_leader_and_isr": ("repeated_requests",),
    "crash": ("crashes",),
    "fail_call": ("crashes", "clean_shutdowns"),
    "restart": ("restarts",),
    "lose_tail": ("lost_tails",),
    "consume": ("consumer_reads",),
    "lose_log_start": ("lost_log_starts",),
    "shut_down": ("clean_shutdowns",),
    "crash_while_loading": ("failed_starts",),
    "fail_to_start": ("failed_starts",),
    "fail_to_create_log": ("failed_creations", "directory_failures"),
    "checkpoint_high_watermarks": ("checkpoints",),
    "ignore_unknown_leader": ("unknown_leaders",),
    "abort_request": ("aborted_requests",),
    "skip_request": ("aborted_requests",),
    "fail_directory": ("directory_failures",),
    "handle_log_dir_failure": ("directory_failures",),
    "break_log": ("log_errors",),
    "break_thread": ("thread_errors",),
    "corrupt_batch": ("corrupt_batches",),
    "lose_call": ("network_errors",),
    "resize_thread_pool": ("resizes",),
    "migrate_partitions": ("resizes",),
    "resize_at_once": ("resizes",),
    "stop_replica": ("stops",),
    "stop_and_delete_replica": ("stops",),
    "append_records_to_leader": ("records",),
    "append_after_a_check": ("records",),
    "maybe_shrink_isr": ("isr_shrinks",),
    "respond_immediately": ("immediate_answers",),
    "stall_after_read": ("stalled_handlers",),
    "record_late": ("stalled_handlers",),
    "catch_up": ("caught_up_followers",),
    "fall_behind": ("caught_up_followers",),
    "delete_records": ("deletions",),
    "alter_replica_log_dirs": ("moves",),
    "move_on": ("moves",),
    "handle_future_log_dir_failure": ("moves",),
    "shutdown_idle_replica_alter_log_dirs_thread": ("moves",),
}
"""For each action, by name, the bound without which it can never happen."""


def fetching_model(
    protocol: Protocol = KAFKA_2_5,
    bounds: FetchingBounds = FetchingBounds(),
    start: Brokers | None = None,
) -> ProtocolModel:
    """The model of the brokers under one protocol, within bounds, from one state on."""
    return ProtocolModel(
        "fetching",
        protocol,
        bounds,
        with_leader,
        domains={
            BrokerId: bounds.broker_ids,
            PartitionId: bounds.partition_ids,
            FetcherId: bounds.fetcher_ids,
            DirectoryId: bounds.directory_ids,
        },
        budgets=BUDGETS,
        start=start,
    )
