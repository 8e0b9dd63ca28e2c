"""KRaft: what the least changes that end flaws do, and what they cost."""

from __future__ import annotations

import pytest

from kafka_tests.kraft_runs import after, after_under
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.model.kraft.controller import broker_lifecycle
from replicheck.model.kraft.controller.broker_lifecycle import is_refused_for_ever
from replicheck.model.kraft.protocols import (
    ACKNOWLEDGES_REPORTED,
    CHECKS_DIRECTORY_AT_REGISTRATION,
    CLEARS_ELR_INDEX,
    COMMITS_ONCE_UNFENCED,
    COMPLETES_AS_ASKED,
    ELECTS_REPLICAS,
    FORGETS_AFTER_SKIPPED_EPOCH,
    KEEPS_ELR_AT_ASSIGNMENT,
    KEEPS_ELR_UNTIL_ELECTION,
    KEEPS_ELR_WITHOUT_LEADER,
    REASSIGNS_AS_ASKED,
    TELLS_NEW_DIRECTORIES,
)
from replicheck.model.kraft.versions import had_clean_shutdown_with_directory
from replicheck.model.vocabulary import BrokerId

TWO_FENCED = {"brokers": 2, "min_isr": 1, "fences": 2}


def test_a_last_known_leader_without_replica_ends_controllers() -> None:
    """It is active, and asked for the directory of a replica that it has not (R-16)."""
    steps = [
        "reassign_partition [2]",
        "crash(broker=0)",
        "restart(broker=0)",
        "fence_stale_broker(broker=0)",
        "cancel_reassignment",
    ]
    bounds = {
        "brokers": 2,
        "replicas": 1,
        "min_isr": 1,
        "unclean_leader_election": 1,
        "reassignments": 1,
        "reassignment_cancels": 1,
        "crashes": 1,
        "restarts": 1,
    }
    cluster = after(*steps, **bounds)
    assert cluster.stored.replicas == (0,)
    assert cluster.stored.last_known_leader == 1
    assert is_refused_for_ever(cluster, BrokerId(0))
    repaired = after_under(ELECTS_REPLICAS, *steps, **bounds)
    assert not is_refused_for_ever(repaired, BrokerId(0))


def test_a_leader_that_skipped_an_epoch_may_forget_more_than_it_must() -> None:
    """None led in the epoch that it skipped; one fetch tells it again (R-15)."""
    steps = [
        "append(leader=0)",
        "fetch(follower=1)",
        "fetch(follower=1)",
        "fence_broker(broker=1)",
        "fence_broker(broker=0)",
        "unfence_broker(broker=0)",
        "publish_metadata(broker=0) [3]",
    ]
    assert after(*steps, **TWO_FENCED).followers[0][1].end == 1
    forgets = after_under(FORGETS_AFTER_SKIPPED_EPOCH, *steps, **TWO_FENCED)
    assert forgets.followers[0][1].end is None
    assert forgets.partitions[0].high_watermark == 1
    told = after_under(
        FORGETS_AFTER_SKIPPED_EPOCH,
        *steps,
        "publish_metadata(broker=1) [3]",
        "fetch(follower=1)",
        **TWO_FENCED,
    )
    assert told.followers[0][1].end == 1


def test_without_a_leader_another_min_isr_keeps_the_elr() -> None:
    """No record is appended meanwhile (R-6)."""
    steps = [
        "fence_broker(broker=0)",
        "fence_broker(broker=1)",
        "change_min_isr",
    ]
    bounds = {"brokers": 2, "fences": 2, "min_isr_changes": 1}
    assert not after(*steps, **bounds).stored.candidates
    kept = after_under(KEEPS_ELR_WITHOUT_LEADER, *steps, **bounds)
    assert kept.stored.elr == {0, 1}
    assert kept.elr_index == {0, 1}


def test_an_index_is_cleared_with_the_elr() -> None:
    """It names those who are in the ELR (R-5)."""
    steps = ["fence_broker(broker=0)", "change_min_isr"]
    bounds = {"brokers": 2, "fences": 1, "min_isr_changes": 1}
    assert after(*steps, **bounds).elr_index == {0}
    assert not after_under(CLEARS_ELR_INDEX, *steps, **bounds).elr_index


def test_without_the_feature_an_elr_is_kept_until_a_leader_is_elected() -> None:
    """A broker that is in neither changes nothing (R-8)."""
    steps = [
        "fence_broker(broker=0)",
        "fence_broker(broker=1)",
        "switch_elr_off",
        "unfence_broker(broker=0)",
    ]
    bounds = {"brokers": 2, "min_isr": 1, "fences": 2, "elr_downgrades": 1}
    assert not after(*steps, **bounds).stored.candidates
    kept = after_under(KEEPS_ELR_UNTIL_ELECTION, *steps, **bounds)
    assert kept.stored.elr == {1}


def test_an_answer_acknowledges_what_was_reported() -> None:
    """The second directory failed after the heartbeat (R-9)."""
    steps = [
        "fail_directory(broker=0, directory=1)",
        "report_offline_directories(broker=0)",
        "fail_directory(broker=0, directory=2)",
        "receive_heartbeat_answer(broker=0)",
    ]
    bounds = {"brokers": 2, "directories": 3, "directory_failures": 2}
    assert after(*steps, **bounds).processes[0].acknowledged == {1, 2}
    process = after_under(ACKNOWLEDGES_REPORTED, *steps, **bounds).processes[0]
    assert process.acknowledged == {1}
    assert process.has_unacknowledged


def test_a_redirected_reassignment_is_as_asked() -> None:
    """[0] → [1] → [0, 1] removes nothing, [0] → [0, 1] → [0] adds nothing (R-14)."""
    bounds = {"brokers": 2, "replicas": 1, "min_isr": 1, "reassignments": 2}
    both = ["reassign_partition [1]", "reassign_partition [3]"]
    assert after_under(REASSIGNS_AS_ASKED, *both, **bounds).stored.target == {0, 1}
    back = ["reassign_partition [2]", "reassign_partition [1]"]
    assert not after_under(COMPLETES_AS_ASKED, *back, **bounds).stored.is_reassigned()


WITHOUT_DIRECTORY = (
    "begin_controlled_shutdown(broker=0)",
    "end_controlled_shutdown(broker=0)",
    "fail_directory(broker=0, directory=0)",
    "remove_directory(broker=0, directory=0)",
    "restart(broker=0)",
)
"""The operator takes a directory away while its broker is stopped."""
TAKEN_AWAY = {
    "brokers": 1,
    "min_isr": 1,
    "directories": 2,
    "directory_failures": 1,
    "removed_directories": 1,
    "shutdowns": 1,
    "restarts": 1,
}


def test_a_registration_without_the_directory_of_a_replica_is_unclean() -> None:
    """The operator took the directory away while the broker was stopped (R-4)."""
    steps = [*WITHOUT_DIRECTORY, "register_broker(broker=0)"]
    assert after_under(KEEPS_ELR_AT_ASSIGNMENT, *steps, **TAKEN_AWAY).stored.elr == {0}
    checked = after_under(CHECKS_DIRECTORY_AT_REGISTRATION, *steps, **TAKEN_AWAY)
    assert not checked.stored.elr


def test_an_assignment_that_comes_first_hides_the_missed_directory() -> None:
    """It has the epoch of the process before, unless that of its own is used (R-4)."""
    steps = [
        *WITHOUT_DIRECTORY,
        "publish_metadata(broker=0)",
        "assign_replica_to_directory(broker=0)",
        "register_broker(broker=0)",
    ]
    checked_alone = KEEPS_ELR_AT_ASSIGNMENT.replacing(
        broker_lifecycle.had_clean_shutdown, by=had_clean_shutdown_with_directory
    )
    assert after_under(checked_alone, *steps, **TAKEN_AWAY).stored.elr == {0}
    with pytest.raises(CannotTake):
        after_under(CHECKS_DIRECTORY_AT_REGISTRATION, *steps, **TAKEN_AWAY)


def test_a_restarted_leader_shows_consumers_what_no_one_in_sync_has() -> None:
    """It committed alone, by an image of before, and follows with open ports now."""
    steps = [
        "fence_broker(broker=1)",
        "unfence_broker(broker=1)",
        "publish_metadata(broker=0) [2]",
        "fetch(follower=1)",
        "expand_isr(leader=0, follower=1)",
        "append(leader=0)",
        "crash(broker=0)",
        "restart(broker=0)",
        "handle_alter_partition(broker=0)",
        "register_broker(broker=0)",
        "publish_metadata(broker=0) [1]",
        "publish_metadata(broker=0) [2]",
        "unfence_broker(broker=0)",
    ]
    bounds = {
        "brokers": 2,
        "min_isr": 1,
        "records": 1,
        "fences": 1,
        "crashes": 1,
        "restarts": 1,
    }
    cluster = after(*steps, **bounds)
    assert cluster.stored.isr == {1}
    assert cluster.processes[0].is_serving
    assert cluster.partitions[0].high_watermark == 1
    assert cluster.logs[1].end_offset == 0
    waits = after_under(COMMITS_ONCE_UNFENCED, *steps, **bounds)
    assert waits.partitions[0].high_watermark == 0


def test_a_replica_that_a_reassignment_added_tells_no_directory() -> None:
    """The reassignment is complete, and all has been applied."""
    steps = [
        "reassign_partition [2]",
        "publish_metadata(broker=1)",
        "publish_metadata(broker=0)",
        "fetch(follower=1)",
        "expand_isr(leader=0, follower=1)",
        "handle_alter_partition(broker=0)",
        "publish_metadata(broker=1)",
    ]
    bounds = {
        "brokers": 2,
        "replicas": 1,
        "min_isr": 1,
        "records": 0,
        "reassignments": 1,
        "directories": 2,
    }
    cluster = after(*steps, **bounds)
    assert not cluster.stored.is_reassigned()
    assert cluster.stored.directories == (0, None)
    assert cluster.processes[1].assignment is None
    told = after_under(TELLS_NEW_DIRECTORIES, *steps, **bounds)
    assert told.processes[1].assignment == 0
