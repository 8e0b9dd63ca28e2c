"""KRaft: runs of the reference's first 13 scenarios, in bounds that are searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId

BROKER_1 = BrokerId(1)


@frozen
class ReferenceRun:
    """A run within the bounds and under the protocol of a scenario, and its end.

    The suite `large` has an entry with other ``bounds``.
    """

    number: int
    scenario: str
    steps: str
    ends: Callable[[KraftCluster], bool]
    bounds: Mapping[str, int] = field(factory=dict)


FIRST_RUNS = (
    ReferenceRun(
        1,
        "kraft-disk-fails",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        publish_metadata(broker=1)
        append(leader=1)""",
        lambda end: end.partitions[0].is_offline and end.leads_in_metadata(BROKER_1),
    ),
    ReferenceRun(
        2,
        "kraft-disk-fails",
        """fail_directory(broker=1, directory=0)
        report_offline_directories(broker=1)
        publish_metadata(broker=0)
        append(leader=0)""",
        lambda end: end.stored.leader_epoch == 0 and end.acknowledged.has_any(),
    ),
    ReferenceRun(
        3,
        "kraft-disks-of-all-fail",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        fail_directory(broker=1, directory=0)
        report_offline_directories(broker=1)""",
        lambda end: not end.stored.isr and end.stored.elr == {1},
    ),
    ReferenceRun(
        3,
        "kraft-disks-of-all-fail",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)
        fail_directory(broker=1, directory=0)
        report_offline_directories(broker=1)
        crash(broker=1)
        restart(broker=1)
        register_broker(broker=1)""",
        lambda end: end.stored.has_empty_elr() and end.stored.last_known_leader == 1,
        {"crashes": 1, "restarts": 1, "partition_epochs": 4},
    ),
    ReferenceRun(
        4,
        "kraft-disk-of-sole-member-fails",
        """fail_directory(broker=0, directory=0)
        report_offline_directories(broker=0)""",
        lambda end: end.stored.isr == {0} and end.stored.is_leaderless(),
    ),
    ReferenceRun(
        5,
        "kraft-disk-fails-while-fenced",
        """crash(broker=1)
        fence_stale_broker(broker=1)
        fence_broker(broker=0)
        fail_directory(broker=0, directory=0)
        unfence_broker(broker=0)""",
        lambda end: end.stored.leader == 0 and end.partitions[0].is_offline,
    ),
    ReferenceRun(
        6,
        "kraft-disk-fails",
        """fail_directory(broker=0, directory=1)
        fail_directory(broker=0, directory=0)
        fence_stale_broker(broker=0)""",
        lambda end: not end.processes[0].is_running and end.stored.leader == 1,
    ),
    ReferenceRun(
        7,
        "kraft-broker-crashes",
        """append(leader=0)
        crash(broker=0)
        fence_stale_broker(broker=0)""",
        lambda end: end.stored.leader == 1 and end.logs[0].end_offset == 1,
    ),
    ReferenceRun(
        8,
        "kraft-last-replica-crashes-without-elr",
        """append(leader=0)
        fence_broker(broker=1)
        publish_metadata(broker=0)
        unfence_broker(broker=1)
        crash(broker=0)
        lose_tail(broker=0)""",
        lambda end: end.acknowledged.has_any() and end.stored.isr == {0},
    ),
    ReferenceRun(
        9,
        "kraft-all-brokers-crash",
        """crash(broker=0)
        fence_stale_broker(broker=0)
        crash(broker=1)
        fence_stale_broker(broker=1)
        restart(broker=1)
        register_broker(broker=1)
        publish_metadata(broker=1) [2]
        unfence_broker(broker=1)""",
        lambda end: end.stored.leader == 1 and end.stored.is_recovering,
    ),
    ReferenceRun(
        10,
        "kraft-all-brokers-shut-down",
        """begin_controlled_shutdown(broker=1)
        begin_controlled_shutdown(broker=0)
        end_controlled_shutdown(broker=0)
        restart(broker=1)
        register_broker(broker=1)
        publish_metadata(broker=1) [2]
        unfence_broker(broker=1)""",
        lambda end: end.stored.leader == 1 and not end.stored.is_recovering,
    ),
    ReferenceRun(
        11,
        "kraft-min-isr-changes",
        """crash(broker=1)
        fence_stale_broker(broker=1)
        crash(broker=0)
        fence_stale_broker(broker=0)
        change_min_isr""",
        lambda end: not end.stored.candidates and end.stored.last_known_leader is None,
    ),
    ReferenceRun(
        12,
        "kraft-assignment-forgets-elr",
        """fence_broker(broker=1)
        assign_replica_to_directory(broker=0)""",
        lambda end: end.stored.isr == {0} and end.stored.has_empty_elr(),
    ),
    ReferenceRun(
        13,
        "kraft-controller-fails-over",
        """fence_broker(broker=1)
        commit_metadata
        unfence_broker(broker=1)
        commit_metadata
        publish_metadata(broker=0) [2]
        fetch(follower=1)
        expand_isr(leader=0, follower=1)
        handle_alter_partition(broker=0)
        fail_over_controller [1]""",
        lambda end: (
            end.stored.isr == {0, 2}
            and end.partitions[0].maximal_isr == {0, 1, 2}
            and end.channels[0].awaits_controller()
        ),
    ),
)
"""Of the first 13."""
