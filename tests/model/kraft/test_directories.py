"""KRaft: log directories fail, and the controller learns what lies in them."""

from __future__ import annotations

import pytest

from kafka_tests.kraft_runs import after, after_under, stepper
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.kraft.protocols import (
    KAFKA_4_1,
    REFUSES_OFFLINE_DIRECTORIES,
    REPORTS_DIRECTORIES_FIRST,
)

TWO = {"brokers": 2, "min_isr": 1, "directories": 2, "directory_failures": 1}
FAILS = "fail_directory(broker=0, directory=0)"
REPORT = "report_offline_directories(broker=0)"
COMES_BACK = [
    "fetch(follower=1)",
    "fail_directory(broker=1, directory=0)",
    "report_offline_directories(broker=1)",
    "publish_metadata(broker=0)",
    "expand_isr(leader=0, follower=1)",
    "handle_alter_partition(broker=0)",
]
SOLE_MEMBER = [
    "crash(broker=1)",
    "fence_stale_broker(broker=1)",
    "fence_broker(broker=0)",
    FAILS,
    "unfence_broker(broker=0)",
]
ALONE = {"brokers": 1, "min_isr": 1, "directories": 2, "directory_failures": 1}


def test_a_leader_on_a_dead_disk_is_replaced_when_it_is_reported() -> None:
    """Until then the partition has a leader that does not serve."""
    cluster = after(FAILS, **TWO)
    assert cluster.stored.leader == 0
    assert cluster.partitions[0].is_offline
    assert after(FAILS, REPORT, **TWO).stored.leader == 1


def test_another_directory_that_fails_changes_no_partition() -> None:
    """It is not online any more, and that is all."""
    cluster = after("fail_directory(broker=0, directory=1)", REPORT, **TWO)
    assert cluster.stored.partition_epoch == 0
    assert cluster.registrations[0].directories == {0}


def test_a_follower_on_a_dead_disk_leaves_the_isr_in_the_same_leader_epoch() -> None:
    """The leader stays."""
    stored = after(*COMES_BACK[1:3], **TWO).stored
    assert stored.isr == {0}
    assert stored.leader_epoch == 0


def test_a_process_that_has_published_nothing_marks_no_replica_offline() -> None:
    """It has no log open; the next image makes one on the disk that is left."""
    bounds = ALONE | {"unassigned": 1, "crashes": 1, "restarts": 1, "records": 1}
    run = ["append(leader=0)", "crash(broker=0)", "restart(broker=0)"]
    cluster = after(*run, FAILS, "publish_metadata(broker=0)", **bounds)
    assert not cluster.partitions[0].is_offline
    assert cluster.disks[0].used == 1
    assert cluster.logs[0].end_offset == 0


def test_the_last_directory_ends_the_process() -> None:
    """There is nothing that it could serve."""
    bounds = TWO | {"directories": 1}
    assert not after(FAILS, **bounds).processes[0].is_running


def test_a_replica_on_a_dead_disk_is_taken_back_into_the_isr() -> None:
    """AlterPartition looks at brokers, and not at their directories (R-3)."""
    assert after(*COMES_BACK, **TWO).stored.isr == {0, 1}
    refused = after_under(REFUSES_OFFLINE_DIRECTORIES, *COMES_BACK, **TWO)
    assert refused.channels[0].answer is AlterPartitionError.INELIGIBLE_REPLICA


def test_a_heartbeat_elects_a_broker_whose_dead_disk_it_reports() -> None:
    """Both parts are computed from what was before the heartbeat (R-2)."""
    bounds = TWO | {"crashes": 1, "fences": 1}
    stored = after_under(KAFKA_4_1, *SOLE_MEMBER, **bounds)
    assert stored.stored.leader == 0
    assert not stored.has_online_directory(stored.bounds.broker_ids[0])
    reported = after_under(REPORTS_DIRECTORIES_FIRST, *SOLE_MEMBER, **bounds)
    assert reported.stored.is_leaderless()


RESTARTED = (
    "append(leader=0)",
    "crash(broker=0)",
    FAILS,
    "restart(broker=0)",
    "publish_metadata(broker=0)",
)
"""The only broker crashes, and its disk dies before it is back."""
ALONE_AND_RESTARTED = {**ALONE, "crashes": 1, "restarts": 1}


def test_a_replica_assigned_to_a_dead_directory_is_not_made_anew() -> None:
    """The directory is configured, and may come back."""
    cluster = after(*RESTARTED, **ALONE_AND_RESTARTED)
    assert cluster.partitions[0].is_offline
    assert cluster.logs[0].end_offset == 1


def test_a_replica_without_known_directory_is_made_anew() -> None:
    """Nothing says that its log lay in the directory that is dead (R-4)."""
    cluster = after(*RESTARTED, **ALONE_AND_RESTARTED, unassigned=1)
    assert cluster.logs[0].end_offset == 0
    assert cluster.processes[0].assignment == 1


def test_an_assignment_to_a_directory_that_failed_leaves_the_isr() -> None:
    """The failure was reported before the controller knew what lay there (R-11)."""
    bounds = TWO | {"unassigned": 1}
    assert after(FAILS, REPORT, **bounds).stored.leader == 0
    assigned = after(FAILS, REPORT, "assign_replica_to_directory(broker=0)", **bounds)
    assert assigned.stored.leader == 1


def test_a_registration_that_is_refreshed_counts_a_dead_directory_as_online() -> None:
    """It has the directories of the start of the process, until the next heartbeat."""
    steps = [FAILS, REPORT, "refresh_registration(broker=0)"]
    cluster = after(*steps, **TWO, registration_refreshes=1)
    assert cluster.registrations[0].directories == {0, 1}


def test_a_directory_that_is_dead_stays_so() -> None:
    """It fails once."""
    with pytest.raises(CannotTake):
        stepper(**TWO | {"directory_failures": 2}).take([FAILS, FAILS])


DELETED_WITHOUT_ISR = ["fence_broker(broker=0)", "delete_topic", FAILS]
NO_TOPIC = {**ALONE, "fences": 1, "topic_deletions": 1}


def test_a_directory_of_a_deleted_topic_ends_the_controller() -> None:
    """The topic had no ISR, so that the index of directories still has it."""
    cluster = after(*DELETED_WITHOUT_ISR, **NO_TOPIC)
    assert cluster.stored.directories == (0,)
    with pytest.raises(CannotTake):
        after(*DELETED_WITHOUT_ISR, REPORT, **NO_TOPIC)


def test_a_topic_that_is_deleted_with_an_isr_is_forgotten() -> None:
    """The report of a directory concerns no partition then."""
    cluster = after("delete_topic", FAILS, REPORT, **NO_TOPIC)
    assert cluster.registrations[0].directories == {1}


def test_a_process_that_registers_again_begins_its_shutdown_anew() -> None:
    """The controller has forgotten from which offset on others must have applied it."""
    bounds = {"brokers": 2, "shutdowns": 1, "registration_refreshes": 1}
    begun = after("begin_controlled_shutdown(broker=0)", **bounds)
    assert begun.shutdown_offsets[0] == 1
    again = ("begin_controlled_shutdown(broker=0)", "refresh_registration(broker=0)")
    assert after(*again, **bounds).shutdown_offsets[0] is None
    assert (
        not after(*again, "end_controlled_shutdown(broker=0)", **bounds)
        .processes[0]
        .is_running
    )


LOSES_REPORT = [
    "fail_directory(broker=1, directory=1)",
    "report_offline_directories(broker=1)",
    "fail_over_controller [1]",
]
ONE_FAILOVER = TWO | {"controller_failovers": 1}


def test_an_answer_to_a_heartbeat_comes_after_its_commit() -> None:
    """What can be lost in a failover is told to no broker."""
    model = stepper(**ONE_FAILOVER)
    with pytest.raises(CannotTake):
        model.take([*LOSES_REPORT[:2], "receive_heartbeat_answer(broker=1)"])
    committed = [*LOSES_REPORT[:2], "commit_metadata"]
    cluster = after(*committed, "receive_heartbeat_answer(broker=1)", **ONE_FAILOVER)
    assert cluster.processes[1].acknowledged == {1}


def test_a_report_that_a_failover_lost_is_sent_again() -> None:
    """It was not answered."""
    cluster = after(*LOSES_REPORT, **ONE_FAILOVER)
    assert cluster.registrations[1].directories == {0, 1}
    again = "report_offline_directories(broker=1)"
    assert after(*LOSES_REPORT, again, **ONE_FAILOVER).registrations[1].directories == {
        0
    }


def test_a_report_that_a_failover_kept_is_answered() -> None:
    """The next heartbeat says the same, and nothing is left to write for it."""
    kept = [*LOSES_REPORT[:2], "fail_over_controller [2]"]
    cluster = after(*kept, "receive_heartbeat_answer(broker=1)", **ONE_FAILOVER)
    assert not cluster.processes[1].has_unacknowledged
