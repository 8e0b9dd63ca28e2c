"""KRaft: who leads after a broker was fenced, crashed, or came back."""

from __future__ import annotations

from kafka_tests.kraft_runs import after

FENCE_ALL = ["crash(broker=1)", "fence_stale_broker(broker=1)", "crash(broker=0)"]


def test_a_fenced_leader_is_replaced_by_the_next_in_the_isr() -> None:
    """The leader epoch and the partition epoch grow with the change."""
    stored = after("fence_broker(broker=0)", fences=1).stored
    assert stored.leader == 1
    assert stored.isr == {1, 2}
    assert (stored.leader_epoch, stored.partition_epoch) == (1, 1)


def test_an_isr_without_another_leader_keeps_the_leader_epoch() -> None:
    """A follower that leaves begins a partition epoch only."""
    stored = after("fence_broker(broker=1)", fences=1).stored
    assert stored.leader == 0
    assert (stored.leader_epoch, stored.partition_epoch) == (0, 1)


def test_who_leaves_an_isr_that_became_too_small_stays_eligible() -> None:
    """The last member leaves the ISR, too, and is the last known leader."""
    stored = after(
        *FENCE_ALL, "fence_stale_broker(broker=0)", brokers=2, crashes=2
    ).stored
    assert stored.leader is None
    assert stored.isr == frozenset()
    assert stored.elr == {0, 1}
    assert stored.last_known_leader == 0


def test_without_elr_the_last_member_stays_in_the_isr() -> None:
    """It cannot lead while it is fenced."""
    stored = after(
        *FENCE_ALL,
        "fence_stale_broker(broker=0)",
        brokers=2,
        crashes=2,
        eligible_leader_replicas=0,
    ).stored
    assert stored.leader is None
    assert stored.isr == {0}


def test_an_unclean_shutdown_ends_eligibility() -> None:
    """A process that crashed may lack records, which its registration says."""
    stored = after(
        *FENCE_ALL,
        "fence_stale_broker(broker=0)",
        "restart(broker=1)",
        "register_broker(broker=1)",
        brokers=2,
        crashes=2,
        restarts=1,
    ).stored
    assert stored.elr == {0}


def test_a_clean_shutdown_keeps_eligibility() -> None:
    """The files that a clean shutdown leaves name the last broker epoch."""
    cluster = after(
        "begin_controlled_shutdown(broker=1)",
        "restart(broker=1)",
        "register_broker(broker=1)",
        brokers=2,
        shutdowns=1,
        restarts=1,
    )
    assert cluster.stored.elr == {1}
    assert cluster.registrations[1].epoch == 1


def test_a_leader_is_released_when_all_have_applied_its_shutdown() -> None:
    """One that leads nothing is released at once; a leader has to wait."""
    begun = after("begin_controlled_shutdown(broker=0)", brokers=2, shutdowns=1)
    assert begun.processes[0].is_running
    ended = after(
        "begin_controlled_shutdown(broker=0)",
        "publish_metadata(broker=1)",
        "end_controlled_shutdown(broker=0)",
        brokers=2,
        shutdowns=1,
    )
    assert not ended.processes[0].is_running
    follower = after("begin_controlled_shutdown(broker=1)", brokers=2, shutdowns=1)
    assert not follower.processes[1].is_running


def test_an_unclean_election_is_marked() -> None:
    """An operator asks for it, and the new leader has to recover."""
    stored = after(
        "fence_broker(broker=1)",
        "crash(broker=0)",
        "fence_stale_broker(broker=0)",
        "unfence_broker(broker=1)",
        "elect_unclean_leader",
        brokers=2,
        crashes=1,
        fences=1,
        unclean_elections=1,
        eligible_leader_replicas=0,
    ).stored
    assert stored.leader == 1
    assert stored.is_recovering
