"""Which actions a model has only if its bounds allow for them."""

from __future__ import annotations

from replicheck.model.cluster import watches
from replicheck.model.cluster.broker import (
    clients,
    duplicate_requests,
    log_dirs,
    processes,
    replication,
    requests,
)
from replicheck.model.cluster.broker.isr import (
    caught_up_followers,
    isr_changes,
    isr_shrinking,
)
from replicheck.model.cluster.controller import (
    api_requests,
    isr_notifications,
    sessions,
)
from replicheck.model.cluster.controller.deletion import (
    replica_deletion,
    topic_deletion,
)
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.controller.reassignment import (
    reassignment,
    reassignment_requests,
    reassignment_steps,
)
from replicheck.model.cluster.environment import administration, faults, lost_replies
from replicheck.model.protocol import Action

ELECTIONS = ("preferred_elections", "unclean_elections")

ONLY_WITH: dict[Action, tuple[str, ...]] = {
    faults.fail_directory: ("directory_failures",),
    faults.crash: ("crashes",),
    processes.start_broker: ("restarts",),
    faults.replace_directory: ("replacements",),
    faults.prefer_directory: ("preferred_directories",),
    faults.move_controller: ("controller_moves",),
    duplicate_requests.send_again: ("duplicates",),
    duplicate_requests.handle_duplicate_request: ("duplicates",),
    **dict.fromkeys(lost_replies.ACTIONS, ("lost_replies",)),
    isr_notifications.handle_isr_change_notification: ("isr_notifications",),
    isr_notifications.list_isr_changes: ("isr_notifications",),
    isr_notifications.tell_isr_changes: ("isr_notifications",),
    isr_changes.propagate_isr_changes: ("isr_notifications",),
    clients.complete_produce: ("acknowledgements",),
    faults.expire_session: ("session_expiries",),
    sessions.begin_session: ("session_expiries",),
    sessions.register_again: ("session_expiries",),
    log_dirs.lose_handler: ("session_expiries",),
    administration.request_preferred_election: ("preferred_elections",),
    administration.request_unclean_election: ("unclean_elections",),
    administration.shut_down: ("shutdowns",),
    administration.finish_shutdown: ("shutdowns",),
    administration.repeat_shutdown_request: ("late_shutdowns",),
    administration.receive_late_shutdown_request: ("late_shutdowns",),
    api_requests.handle_election_request: ELECTIONS,
    api_requests.handle_controlled_shutdown: ("shutdowns",),
    api_requests.stop_replicas: ("shutdowns",),
    administration.delete_topic: ("topic_deletions",),
    administration.reassign_partition: ("reassignments",),
    administration.cancel_reassignment: ("cancellations",),
    watches.deliver_state_watch: ("reassignments",),
    reassignment_requests.handle_alter_reassignment: ("cancellations",),
    reassignment_requests.handle_zk_reassignment: ("reassignments",),
    reassignment_requests.read_reassignments: ("reassignments",),
    reassignment.reassign: ("reassignments",),
    reassignment.handle_reassignment_isr_change: ("reassignments",),
    reassignment.check_reassignment: ("reassignments",),
    reassignment_steps.read_for_epoch: ("reassignments",),
    reassignment_steps.write_epoch: ("reassignments",),
    reassignment_steps.start_new_replicas: ("reassignments",),
    reassignment_steps.remove_replicas: ("reassignments",),
    reassignment_steps.write_assignment: ("reassignments",),
    reassignment_requests.drop_request: ("reassignments",),
    reassignment_steps.finish_reassignment: ("reassignments",),
    topic_deletion.handle_topic_deletion: ("topic_deletions",),
    topic_deletion.read_deletions: ("topic_deletions",),
    topic_deletion.resume_deletions: ("topic_deletions",),
    replica_deletion.on_topic_deletion: ("topic_deletions",),
    replica_deletion.start_replica_deletion: ("topic_deletions",),
    replica_deletion.handle_stop_replica_response: ("topic_deletions",),
    replica_deletion.settle_replicas: ("topic_deletions",),
    topic_deletion.delete_topic_node: ("topic_deletions",),
    topic_deletion.delete_marker: ("topic_deletions",),
    replica_states.announce_brokers: ("metadata",),
    requests.handle_update_metadata: ("metadata",),
    replication.append: ("records",),
    isr_shrinking.shrink_isr: ("isr_shrinks",),
    caught_up_followers.catch_up: ("caught_up_followers",),
    caught_up_followers.fall_behind: ("caught_up_followers",),
}
"""For each such action the bounds of which at least one must not be 0."""
