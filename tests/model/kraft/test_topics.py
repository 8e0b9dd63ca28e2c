"""KRaft: a topic is created anew, and a broker is taken out of the cluster."""

from __future__ import annotations

from kafka_tests.kraft_runs import after, after_under
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.kraft.protocols import CLEARS_DIRECTORY_INDEX, KAFKA_4_1

ANEW = {
    "brokers": 2,
    "min_isr": 1,
    "topic_deletions": 1,
    "topic_creations": 1,
    "partition_epochs": 2,
}
OF_BOTH = "create_topic [3]"
"""The new topic has a replica on each broker."""
BOTH = "publish_metadata(broker=0) [2]"
"""Broker 0 publishes that the topic was deleted, and is there again, as one."""


def test_a_new_topic_has_another_id_and_epochs_that_begin_at_0() -> None:
    """All active replicas are in its ISR, and the first of them leads."""
    stored = after("delete_topic", OF_BOTH, **ANEW).stored
    assert stored.topic_id == 1
    assert stored.partition_epoch == 0
    assert stored.leader_epoch == 0
    assert stored.leader == 0
    assert stored.isr == {0, 1}


def test_a_fenced_broker_is_not_in_the_first_isr() -> None:
    """It has a replica, and another one leads."""
    steps = ["fence_broker(broker=0)", "delete_topic", "create_topic [2]"]
    stored = after(*steps, **ANEW | {"fences": 1}).stored
    assert stored.replicas == (0, 1)
    assert stored.isr == {1}
    assert stored.leader == 1


def test_a_broker_that_missed_the_deletion_begins_with_an_empty_log() -> None:
    """It deletes the old replica before it makes the new one."""
    cluster = after("append(leader=0)", "delete_topic", OF_BOTH, BOTH, **ANEW)
    assert cluster.logs[0].end_offset == 0
    assert cluster.partitions[0].topic_id == 1
    assert cluster.leads_in_metadata(cluster.bounds.broker_ids[0])


def test_a_request_for_the_old_topic_is_refused() -> None:
    """Its epochs could be those of the new one."""
    steps = [
        "append(leader=0)",
        "shrink_isr(leader=0)",
        "delete_topic",
        OF_BOTH,
        "handle_alter_partition(broker=0)",
    ]
    cluster = after(*steps, **ANEW | {"isr_shrinks": 1})
    assert cluster.channels[0].answer is AlterPartitionError.UNKNOWN_TOPIC_ID


def test_a_late_answer_of_the_old_topic_is_not_used_for_the_new_one() -> None:
    """Offset and leader epoch are the same, but the thread is not ready for it."""
    steps = [
        "append(leader=0)",
        "answer_late(follower=1)",
        "delete_topic",
        OF_BOTH,
        "publish_metadata(broker=1) [2]",
    ]
    cluster = after(*steps, **ANEW | {"late_answers": 1})
    assert cluster.partitions[1].is_led_by(cluster.bounds.broker_ids[0])
    assert cluster.fetchers[1].is_idle()
    assert cluster.logs[1].end_offset == 0


def test_a_log_of_the_old_topic_is_a_stray_after_a_restart() -> None:
    """It is set aside, and an empty one is made."""
    steps = [
        "append(leader=0)",
        "fetch(follower=1)",
        "crash(broker=1)",
        "delete_topic",
        OF_BOTH,
        "restart(broker=1)",
    ]
    bounds = ANEW | {"crashes": 1, "restarts": 1}
    assert after(*steps, **bounds).logs[1].end_offset == 1
    started = after(*steps, "publish_metadata(broker=1)", **bounds)
    assert started.logs[1].end_offset == 0
    assert started.partitions[1].topic_id == 1


def test_a_replica_on_a_dead_disk_stays_offline_for_its_own_topic_only() -> None:
    """The replica of the new topic lies in the directory that is left."""
    bounds = ANEW | {"directories": 2, "directory_failures": 1}
    steps = [
        "fail_directory(broker=0, directory=0)",
        "delete_topic",
        "report_offline_directories(broker=0)",
        OF_BOTH,
    ]
    deleted = after_under(
        CLEARS_DIRECTORY_INDEX, *steps, "publish_metadata(broker=0) [1]", **bounds
    )
    assert deleted.partitions[0].is_offline
    created = after_under(
        CLEARS_DIRECTORY_INDEX, *steps, "publish_metadata(broker=0) [3]", **bounds
    )
    assert not created.partitions[0].is_offline
    assert created.disks[0].used == 1
    assert created.stored.directories[0] == 1


def test_an_unregistered_broker_leaves_the_isr_and_stays_in_the_elr() -> None:
    """It leaves the ELR with its next registration, whatever files it has (R-10)."""
    bounds = {"brokers": 2, "unregistrations": 1, "shutdowns": 1, "restarts": 1}
    steps = ["begin_controlled_shutdown(broker=1)", "unregister_broker(broker=1)"]
    gone = after_under(KAFKA_4_1, *steps, **bounds)
    assert gone.stored.isr == {0}
    assert gone.stored.elr == {1}
    assert gone.processes[1].clean_epoch == 0
    back = after(*steps, "restart(broker=1)", "register_broker(broker=1)", **bounds)
    assert back.stored.elr == frozenset()
    assert back.registrations[1].epoch == 1
