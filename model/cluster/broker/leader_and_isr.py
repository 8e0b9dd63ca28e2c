"""How a broker obeys a LeaderAndIsr request with one partition.

Abstraction: the high watermark's checkpoint is never written, so a replica starts with
0 in each process (B-HW-3 is not modelled yet).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.broker.requests import (
    is_due,
    is_stale,
    reply,
    see_controller,
)
from replicheck.model.cluster.cells.messages import Answer, LeaderAndIsrRequest
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch

Acceptance = Callable[[Cluster, BrokerId, Epoch], bool]
Creation = Callable[[Cluster, BrokerId, LeaderAndIsrRequest], DirectoryId | None]
Checked = Callable[[Cluster, BrokerId, LeaderAndIsrRequest], bool]


def handle_leader_and_isr(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker leads or follows in a newer epoch, or answers why it does not.

    Rules: B-CHK-1, B-CHK-2, B-LIR-1, B-LIR-2, B-LIR-4, B-LDF-6, B-START-7.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    yield from obey(cluster, controller, broker)


def is_newer(cluster: Cluster, broker: BrokerId, epoch: Epoch) -> bool:
    """Tell whether a leader epoch is above the replica's; an unknown replica has none.

    Rules: B-LIR-2, B-LIR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    return bool(cluster.replicas[broker].is_behind(epoch))


def directory_for_new_log(
    cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
) -> DirectoryId | None:
    """Return where to create the log; None is a storage error.

    A replica that the controller does not call new is only created if no directory is
    offline: it might be on that one. Creation on a failing directory meets the error,
    and the next directory is tried.

    Abstraction: all directories have as few logs, and the first is taken.

    Rules: B-NEW-1, B-NEW-3, B-START-6.  Source: LogManager.getOrCreateLog.
    """
    directories = cluster.directories[broker]
    ids = cluster.bounds.directory_ids
    if not request.is_new and any(directories[each].is_offline() for each in ids):
        return None
    return next((each for each in ids if directories[each].is_good()), None)


def obey(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    accepts: Acceptance = is_newer,
    creation: Creation = directory_for_new_log,
    refuses: Checked = is_stale,
) -> Iterator[Cluster]:
    """Check the request, and become leader or follower."""
    if not is_due(cluster, controller, broker, LeaderAndIsrRequest):
        return
    request = cluster.channels[controller][broker].head
    assert isinstance(request, LeaderAndIsrRequest)
    if refuses(cluster, broker, request):
        yield reply(cluster, controller, broker, Answer.REJECTED)
        return
    accepted = accepts(cluster, broker, request.content.epoch)
    offline = cluster.replicas[broker].is_offline()
    cluster = see_controller(cluster, broker, request)
    if offline:
        yield reply(cluster, controller, broker, Answer.STORAGE_ERROR)
    elif not accepted:
        yield reply(cluster, controller, broker, Answer.STALE)
    elif finds_log_of_marked_directory(cluster, broker):
        placeholder = cluster.replicas[broker].hold_place()
        cluster = cluster.evolve(replicas={broker: placeholder})
        yield reply(cluster, controller, broker, Answer.REJECTED)
    elif request.content.leader == broker:
        for after, answer in become_leader(cluster, broker, request, creation):
            yield reply(after, controller, broker, answer)
    else:
        after, answer = become_follower(cluster, broker, request, creation)
        yield reply(after, controller, broker, answer)


def become_leader(
    cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest, creation: Creation
) -> Iterator[tuple[Cluster, Answer]]:
    """Take ISR and epoch from the request; what followers have is unknown.

    The epoch is also stored in the directory. If that is failing, this can go wrong,
    after which the broker has the new epoch and the old leader, and no marker.

    Rules: B-LIR-5, B-LIR-8, B-HW-1, B-DIR-2, B-DIR-3.  Source: Partition.makeLeader.
    """
    cluster = cluster.evolve(fetchers={broker: cluster.fetchers[broker].stop()})
    had_led = cluster.presumes_leadership(broker)
    cluster, directory = find_or_create_log(cluster, broker, request, creation)
    if directory is None:
        yield mark_offline(cluster, broker), Answer.STORAGE_ERROR
        return
    content = request.content
    end = cluster.logs[broker][directory].end_offset
    replica = cluster.replicas[broker]
    if cluster.directories[broker][directory].is_failing():
        kept = replica.fail_to_lead(content, directory, end)
        yield cluster.evolve(replicas={broker: kept}), Answer.STORAGE_ERROR
    if not had_led:
        remotes = {broker: cluster.remotes[broker].forget()}
        cluster = cluster.evolve(remotes=remotes)
    leading = replica.lead(broker, content, directory, end)
    cluster = cluster.evolve(replicas={broker: leading})
    yield increment_high_watermark(cluster, broker), Answer.NONE


def become_follower(
    cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest, creation: Creation
) -> tuple[Cluster, Answer]:
    """Follow the leader, which begins with cutting the log.

    Where there is no leader, or its broker is unknown, only the log is created: epoch,
    leader and fetcher stay what they were.

    Rules: B-LIR-6, B-LIR-7, B-LIR-8, B-FETCH-2.
    Source: ReplicaManager.makeFollowers, Partition.makeFollower.
    """
    cluster, directory = find_or_create_log(cluster, broker, request, creation)
    if directory is None:
        return mark_offline(cluster, broker), Answer.STORAGE_ERROR
    content = request.content
    if content.leader is None or not _knows(cluster, broker, content.leader):
        kept = cluster.replicas[broker].keep(directory)
        return cluster.evolve(replicas={broker: kept}), Answer.NONE
    following = cluster.replicas[broker].follow(content, directory)
    fetcher = cluster.fetchers[broker].start(content.leader, content.epoch)
    after = cluster.evolve(
        replicas={broker: following},
        fetchers={broker: fetcher},
        remotes={broker: cluster.remotes[broker].forget()},
    )
    return after, Answer.NONE


def finds_log_of_marked_directory(cluster: Cluster, broker: BrokerId) -> bool:
    """Tell whether a replica's log is found where the failure handler is half done.

    The handler has forgotten the directory's high watermarks then, and not closed the
    directory yet. That aborts the whole request; what was unknown stays as a
    placeholder without log and epoch.

    Rules: B-LIR-10, X-7.  Source: Partition.createLog, LazyOffsetCheckpoints.fetch.
    """
    if cluster.handlers[broker].has_marked_none():
        return False
    if not cluster.replicas[broker].lacks_log():
        return False
    return any(
        cluster.handlers[broker].has_marked(each) and cluster.logs[broker][each].exists
        for each in cluster.bounds.directory_ids
    )


def find_or_create_log(
    cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest, creation: Creation
) -> tuple[Cluster, DirectoryId | None]:
    """Return where the log is; it is created if no directory in use has it.

    Rules: B-NEW-1, B-NEW-2.  Source: LogManager.getOrCreateLog.
    """
    for directory in cluster.bounds.directory_ids:
        if not cluster.logs[broker][directory].exists:
            continue
        if not cluster.directories[broker][directory].is_offline():
            return cluster, directory
    chosen = creation(cluster, broker, request)
    if chosen is None:
        return cluster, None
    log = cluster.logs[broker][chosen].create()
    return cluster.evolve(logs={(broker, chosen): log}), chosen


def mark_offline(cluster: Cluster, broker: BrokerId) -> Cluster:
    """Mark the replica offline, for as long as the process lives.

    Rules: B-LIR-8, B-LDF-6.  Source: ReplicaManager.markPartitionOffline.
    """
    marked = cluster.replicas[broker].mark_offline()
    return cluster.evolve(
        replicas={broker: marked},
        fetchers={broker: cluster.fetchers[broker].stop()},
        remotes={broker: cluster.remotes[broker].forget()},
    )


def _knows(cluster: Cluster, broker: BrokerId, leader: BrokerId) -> bool:
    if not cluster.bounds.metadata:
        return True
    return bool(cluster.metadata[broker].knows(leader))
