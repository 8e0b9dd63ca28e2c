"""Rules of the cluster that were once wrong, each in the states where it matters."""

from __future__ import annotations

from attrs import evolve

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.broker.aborted_requests import abort_request
from replicheck.model.cluster.broker.deletion import delete_replica
from replicheck.model.cluster.broker.log_creation import directory_for_new_log
from replicheck.model.cluster.cells.broker.disks import LogDirFailureHandler
from replicheck.model.cluster.cells.broker.fetcher import Fetcher
from replicheck.model.cluster.cells.channels import (
    LEADER_DURING_DELETE,
    Answer,
    LeaderAndIsrRequest,
    PartitionToLead,
)
from replicheck.model.cluster.cells.controller.deletion_tasks import (
    ResumeDeletions,
    SettleReplicas,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    CheckReassignment,
)
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.cells.zookeeper.topics import Assignment
from replicheck.model.cluster.controller.deletion.replica_deletion import (
    settle_replicas,
)
from replicheck.model.cluster.controller.reassignment.reassignment import (
    check_reassignment,
)
from replicheck.model.cluster.environment.administration import shut_down
from replicheck.model.cluster.protocols import cluster_model
from replicheck.model.cluster.state import Cluster, with_topic
from replicheck.model.cluster.watches import read_state, store_partition_state
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.shared.replica import Replica
from replicheck.model.vocabulary import (
    BrokerId,
    ControllerEpoch,
    DirectoryId,
    Epoch,
    PartitionId,
)

LEADER, FOLLOWER, CONTROLLER = BrokerId(0), BrokerId(1), BrokerId(1)
FIRST, SECOND = PartitionId(0), PartitionId(1)
NEXT = LeaderAndIsr(
    LEADER, Epoch(1), frozenset({LEADER, FOLLOWER}), ControllerEpoch(1), 1
)


def two_brokers(partitions: int = 1, reassignments: int = 0) -> Cluster:
    """A cluster with a topic for each partition; broker 1 follows, and controls."""
    bounds = Bounds(brokers=2, partitions=partitions, reassignments=reassignments)
    return with_topic(bounds)


def with_offline_directory(cluster: Cluster, directory: int) -> Cluster:
    """The follower does not use a directory."""
    at = (FOLLOWER, DirectoryId(directory))
    offline = cluster.directories[FOLLOWER][directory].go_offline()
    return cluster.evolve(directories={at: offline})


def test_a_placeholder_is_not_deleted_beside_an_offline_directory() -> None:
    """B-STOP-1: its log might be there, so that is an error; and it is forgotten."""
    placeholder = Replica().hold_place()
    cluster = with_offline_directory(two_brokers(), 0)
    cluster = cluster.evolve(replicas={(FOLLOWER, FIRST): placeholder})
    ((after, answer),) = delete_replica(cluster, FOLLOWER, FIRST)
    assert answer is Answer.STORAGE_ERROR
    assert after.replicas[FOLLOWER][FIRST].is_unknown()


def test_a_replica_that_is_unknown_is_deleted_beside_an_offline_directory() -> None:
    """B-STOP-1: no rule asks where its log could be."""
    cluster = with_offline_directory(two_brokers(), 0)
    cluster = cluster.evolve(replicas={(FOLLOWER, FIRST): Replica()})
    ((_, answer),) = delete_replica(cluster, FOLLOWER, FIRST)
    assert answer is Answer.NONE


def test_a_replica_in_a_good_directory_is_deleted_beside_an_offline_one() -> None:
    """B-STOP-1: its log is found."""
    cluster = with_offline_directory(two_brokers(), 1)
    ((after, answer),) = delete_replica(cluster, FOLLOWER, FIRST)
    assert answer is Answer.NONE
    assert not after.logs[FOLLOWER][FIRST][0].exists


def half_handled(cluster: Cluster) -> Cluster:
    """The follower's handler has marked directory 0, and knows no replica in it."""
    handler = LogDirFailureHandler().mark(DirectoryId(0))
    return cluster.evolve(
        handlers={FOLLOWER: handler},
        replicas={(FOLLOWER, FIRST): Replica()},
        fetchers={(FOLLOWER, FIRST): Fetcher()},
    )


def test_a_request_that_is_aborted_leaves_the_old_fetcher_in_a_new_epoch() -> None:
    """B-LIR-10: a follower that came before the error has the epoch alone, or not."""
    cluster = half_handled(two_brokers(partitions=2))
    asked = (PartitionToLead(FIRST, NEXT), PartitionToLead(SECOND, NEXT))
    found = list(abort_request(cluster, FOLLOWER, asked, directory_for_new_log))
    assert {after.replicas[FOLLOWER][SECOND].epoch for after, _ in found} == {0, 1}
    for after, answers in found:
        assert after.fetchers[FOLLOWER][SECOND] == cluster.fetchers[FOLLOWER][SECOND]
        assert after.replicas[FOLLOWER][FIRST] == Replica().hold_place()
        assert {answer for _, answer in answers} == {Answer.REJECTED}


def test_leaders_of_a_request_that_a_follower_ends_lead() -> None:
    """B-LIR-10: makeLeaders has ended before makeFollowers begins."""
    cluster = half_handled(two_brokers(partitions=2))
    led = evolve(NEXT, leader=FOLLOWER)
    asked = (PartitionToLead(FIRST, NEXT), PartitionToLead(SECOND, led))
    ((after, _),) = abort_request(cluster, FOLLOWER, asked, directory_for_new_log)
    assert after.leads_in(FOLLOWER, SECOND, Epoch(1))
    assert after.fetchers[FOLLOWER][SECOND].is_idle()


def test_followers_of_a_request_that_a_leader_ends_stay_as_they_are() -> None:
    """B-LIR-10: makeFollowers is not reached."""
    cluster = half_handled(two_brokers(partitions=2))
    led = evolve(NEXT, leader=FOLLOWER)
    asked = (PartitionToLead(FIRST, led), PartitionToLead(SECOND, NEXT))
    ((after, _),) = abort_request(cluster, FOLLOWER, asked, directory_for_new_log)
    assert after.replicas[FOLLOWER][SECOND] == cluster.replicas[FOLLOWER][SECOND]


def test_every_read_of_the_state_sets_the_watch_of_a_reassignment_again() -> None:
    """C-REASG-3: any read does, as long as the handler is registered."""
    cluster = two_brokers(reassignments=1)
    unwatched = read_state(cluster, CONTROLLER, FIRST)
    assert not fires(unwatched)
    watches = cluster.watches[CONTROLLER].register_state(FIRST)
    cluster = cluster.evolve(watches={CONTROLLER: watches})
    assert not fires(cluster)
    assert fires(read_state(cluster, CONTROLLER, FIRST))
    watches = cluster.watches[CONTROLLER].read_state(FIRST).unregister_state(FIRST)
    assert not fires(cluster.evolve(watches={CONTROLLER: watches}))


def fires(cluster: Cluster) -> bool:
    """Tell whether a write of the partition's state fires the controller's watch."""
    after = store_partition_state(cluster, FIRST, NEXT)
    return after.watches[CONTROLLER].has_fired_state(FIRST)


def is_added_replica_asked(state: ReplicaState) -> bool:
    """Tell whether the broker of an added replica in this state is asked at the end."""
    cluster = two_brokers(reassignments=1)
    assignment = Assignment((LEADER, FOLLOWER), adding=(FOLLOWER,))
    context = cluster.contexts[CONTROLLER].assign(FIRST, assignment)
    context = context.with_replica(FOLLOWER, FIRST, state)
    thread = cluster.threads[CONTROLLER].begin((CheckReassignment(FIRST),))
    (after,) = check_reassignment(
        cluster.evolve(contexts={CONTROLLER: context}, threads={CONTROLLER: thread}),
        CONTROLLER,
    )
    assert after.contexts[CONTROLLER].is_in(FOLLOWER, FIRST, ReplicaState.ONLINE)
    return after.channels[CONTROLLER][FOLLOWER].asks_about(FIRST)


def test_an_added_replica_that_was_online_is_asked_when_a_reassignment_ends() -> None:
    """C-RSM-3: only a new replica goes online in silence; seen in runs of 2.5.1."""
    assert is_added_replica_asked(ReplicaState.ONLINE)
    assert not is_added_replica_asked(ReplicaState.NEW)


def settled(state: ReplicaState) -> Cluster:
    """What comes of an answer about a replica whose topic is not queued any more."""
    cluster = two_brokers()
    task = SettleReplicas(((LEADER, FIRST),), state)
    thread = cluster.threads[CONTROLLER].begin((task,))
    (after,) = settle_replicas(cluster.evolve(threads={CONTROLLER: thread}), CONTROLLER)
    return after


def test_a_successful_deletion_resumes_deletions_whatever_it_was_of() -> None:
    """C-DEL-4: completeReplicaDeletion asks nothing, failReplicaDeletion does."""
    assert (
        settled(ReplicaState.DELETION_SUCCESSFUL)
        .threads[CONTROLLER]
        .has(ResumeDeletions)
    )
    assert settled(ReplicaState.INELIGIBLE).threads[CONTROLLER].is_idle()


def test_metadata_of_a_topic_that_is_deleted_keeps_its_isr() -> None:
    """Z-STATE-3: only the leader and its epoch say that it is being deleted."""
    cluster = two_brokers()
    context = cluster.contexts[CONTROLLER].queue_for_deletion(FIRST)
    said = context.mark_offline(FOLLOWER, FIRST).metadata_of(FIRST)
    assert said is not None
    assert (said.leader, said.epoch) == (LEADER_DURING_DELETE, 0)
    assert said.isr == frozenset({LEADER, FOLLOWER})
    assert said.offline == frozenset({FOLLOWER})


def test_a_cache_forgets_a_topic_that_is_deleted() -> None:
    """Z-STATE-3: whatever else is said of it."""
    cluster = two_brokers()
    context = cluster.contexts[CONTROLLER].queue_for_deletion(FIRST)
    known = cluster.metadata[LEADER].update(frozenset(), (None,))
    assert known.update(frozenset(), context.metadata).partitions == (None,)


def after(bounds: Bounds, *steps: str) -> Cluster:
    """The state to which steps lead from a topic that is led by broker 0."""
    model = cluster_model(bounds=bounds, start=with_topic(bounds))
    found: Cluster = run(model, with_topic(bounds), steps, Place("test"))
    return found


def test_a_new_controller_sends_every_broker_what_is_stored() -> None:
    """C-INIT-1: so a request that one controller did not send is not lost by that."""
    bounds = Bounds(brokers=3, controller_moves=1)
    cluster = after(
        bounds,
        "move_controller",
        "deliver_watch(controller=0, path=ZooKeeperPath.CONTROLLER)",
        "elect(controller=0)",
        "list_notifications(controller=0)",
        "read_brokers(controller=0)",
        "read_topics(controller=0)",
        "read_partition_state(controller=0)",
        "start_replica_state_machine(controller=0)",
    )
    stored = cluster.partition_nodes[FIRST].content
    for broker in bounds.broker_ids:
        request = cluster.channels[LEADER][broker].head
        assert isinstance(request, LeaderAndIsrRequest)
        assert [asked.content for asked in request.partitions] == [stored]


def test_the_session_of_a_broker_that_stops_ends_last() -> None:
    """C-CSD-1: KafkaServer.shutdown closes the client of ZooKeeper after all else."""
    bounds = Bounds(brokers=3, shutdowns=1)
    stops = ("shut_down(controller=2, broker=1)", "finish_shutdown(broker=1)")
    stopped = after(bounds, *stops)
    assert not stopped.processes[FOLLOWER].is_running
    assert stopped.broker_nodes[FOLLOWER].is_present
    ended = after(bounds, *stops, "end_session(broker=1)")
    assert not ended.broker_nodes[FOLLOWER].is_present


def test_a_broker_that_does_not_run_yet_does_not_shut_down() -> None:
    """C-CSD-1: KafkaServer.shutdown throws while it starts, and the process halts."""
    bounds = Bounds(brokers=3, crashes=1, restarts=1, shutdowns=1)
    gone = ("crash(broker=1)", "end_session(broker=1)")
    controller = BrokerId(2)
    assert not list(shut_down(after(bounds, *gone), controller, FOLLOWER))
    started = after(bounds, *gone, "start_broker(broker=1)")
    assert list(shut_down(started, controller, FOLLOWER))
