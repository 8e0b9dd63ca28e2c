"""KRaft: runs of the reference's other 13 scenarios, and all of them."""

from __future__ import annotations

from kafka_tests.kraft_reference_runs import FIRST_RUNS, ReferenceRun
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.vocabulary import BrokerId, DirectoryId

BROKER_0, BROKER_1 = BrokerId(0), BrokerId(1)
DEAD = DirectoryId(0)
LAST_RUNS = (
    ReferenceRun(
        14,
        "kraft-follower-restarts-empty",
        """append(leader=0)
        shrink_isr(leader=0)
        handle_alter_partition(broker=0)
        handle_alter_partition_response(leader=0)
        fetch(follower=1)
        fetch(follower=1)
        expand_isr(leader=0, follower=1)
        crash(broker=1)
        lose_tail(broker=1)
        restart(broker=1)
        register_broker(broker=1)
        publish_metadata(broker=1) [2]
        unfence_broker(broker=1)
        handle_alter_partition(broker=0)""",
        lambda end: end.channels[0].answer is AlterPartitionError.INELIGIBLE_REPLICA,
    ),
    ReferenceRun(
        15,
        "kraft-fenced-broker-is-proposed",
        """shrink_isr(leader=0)
        handle_alter_partition(broker=0)
        handle_alter_partition_response(leader=0)
        fetch(follower=1)
        expand_isr(leader=0, follower=1)
        fence_broker(broker=1)
        handle_alter_partition(broker=0)
        handle_alter_partition_response(leader=0)
        unfence_broker(broker=1)
        expand_isr(leader=0, follower=1)
        handle_alter_partition(broker=0)""",
        lambda end: end.stored.isr == {0, 1},
    ),
    ReferenceRun(
        16,
        "kraft-equal-partition-epoch",
        """append(leader=0)
        shrink_isr(leader=0)
        handle_alter_partition(broker=0)
        handle_alter_partition_response(leader=0)
        fetch(follower=1)
        fetch(follower=1)
        expand_isr(leader=0, follower=1)
        publish_metadata(broker=0)
        handle_alter_partition(broker=0)""",
        lambda end: end.stored.isr == {0, 1} and end.partitions[0].maximal_isr == {0},
    ),
    ReferenceRun(
        17,
        "kraft-disk-fails-before-its-assignment",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        assign_replica_to_directory(broker=0)""",
        lambda end: end.stored.leader == 1 and end.stored.is_assigned(BROKER_0, DEAD),
    ),
    ReferenceRun(
        17,
        "kraft-disk-fails-before-its-assignment",
        """fail_directory(broker=0, directory=0)
        assign_replica_to_directory(broker=0)
        report_offline_directories(broker=0)""",
        lambda end: end.stored.leader == 1,
    ),
    ReferenceRun(
        17,
        "kraft-disk-fails-before-its-assignment",
        """assign_replica_to_directory(broker=0)
        fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)""",
        lambda end: end.stored.leader == 1,
    ),
    ReferenceRun(
        18,
        "kraft-assignment-elects-on-dead-disk",
        """alter_replica_log_dirs(broker=0, directory=1)
        promote_future_log(broker=0)
        send_assignment(broker=0)
        fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        handle_assignment(broker=0)""",
        lambda end: end.stored.directories == (1,) and end.partitions[0].is_offline,
    ),
    ReferenceRun(
        19,
        "kraft-topic-is-created-with-dead-disk",
        """fail_directory(broker=0, directory=0)
        delete_topic
        report_offline_directories(broker=0)
        create_topic [3]
        publish_metadata(broker=0) [3]""",
        lambda end: end.disks[0].used == 1 and end.leads_in_metadata(BROKER_0),
    ),
    ReferenceRun(
        20,
        "kraft-controller-fails-over-in-shutdown",
        """begin_controlled_shutdown(broker=0)
        commit_metadata
        fail_over_controller
        end_controlled_shutdown(broker=0)""",
        lambda end: not end.processes[0].is_running and end.stored.leader == 1,
    ),
    ReferenceRun(
        21,
        "kraft-partition-is-reassigned",
        """reassign_partition [3]
        publish_metadata(broker=0)
        publish_metadata(broker=2)
        fetch(follower=2)
        expand_isr(leader=0, follower=2)
        handle_alter_partition(broker=0)""",
        lambda end: (
            end.stored.replicas == (2,)
            and end.channels[0].answer is AlterPartitionError.NEW_LEADER_ELECTED
            and end.partitions[0].is_pending()
        ),
    ),
    ReferenceRun(
        22,
        "kraft-reassignment-is-redirected",
        """reassign_partition [1]
        reassign_partition [3]""",
        lambda end: end.asked_replicas == {0, 1} and end.stored.target == {1},
    ),
    ReferenceRun(
        23,
        "kraft-fenced-leader-goes-on",
        """fence_broker(broker=0)
        publish_metadata(broker=1)
        append(leader=0)
        append(leader=1)""",
        lambda end: (
            end.leads(BROKER_0)
            and end.partitions[0].high_watermark == 0
            and end.partitions[1].high_watermark == 1
        ),
    ),
    ReferenceRun(
        24,
        "kraft-registration-is-refreshed",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        receive_heartbeat_answer(broker=0)
        refresh_registration(broker=0)
        report_offline_directories(broker=0)""",
        lambda end: end.registrations[0].directories == {1},
    ),
    ReferenceRun(
        25,
        "kraft-leader-skips-epoch",
        """append(leader=1)
        fetch(follower=2)
        fetch(follower=2)
        elect_preferred_leader
        publish_metadata(broker=0)
        publish_metadata(broker=2)
        fetch(follower=2)
        fence_broker(broker=0)
        publish_metadata(broker=1) [2]""",
        lambda end: end.acknowledged.has_any() and end.logs[2].end_offset == 0,
    ),
    ReferenceRun(
        26,
        "kraft-elr-has-removed-replicas",
        """reassign_partition [1]
        publish_metadata(broker=0)
        append(leader=0)
        publish_metadata(broker=1)""",
        lambda end: end.acknowledged.has_any() and end.stored.elr == {1},
    ),
)
"""Of the others."""
RUNS = (*FIRST_RUNS, *LAST_RUNS)
"""Each has the number of its scenario in the reference."""
