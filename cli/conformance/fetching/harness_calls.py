"""The steps of `fetching` as calls of the harness, and what is decided around them.

A step of the controller or of the network alone is no call: what the controller stores
is written to ZooKeeper, and requests wait in the model until a broker takes one up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from attrs import frozen

from replicheck.cli.conformance.harness.process import Command
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId

Arguments = Mapping[str, Any]
NOTHING = Command("nothing")


@frozen
class ModelStep:
    """An action with its arguments, and the states around it."""

    action: str
    arguments: Arguments
    before: Any
    after: Any

    @property
    def index(self) -> tuple[BrokerId, PartitionId]:
        """Broker and partition of a step that names both."""
        return self.arguments["broker"], self.arguments["partition"]

    def call(self, name: str = "", **more: Any) -> Command:
        """Command of the same name and arguments, unless others are given."""
        return Command(name or self.action, {**self.arguments, **more})


def commands(step: ModelStep) -> tuple[Command, ...]:
    """Calls of the harness that are a step; the last one's answer is compared."""
    translate = TRANSLATIONS.get(step.action, _same_call)
    found = (*_stored(step), *translate(step)) or (NOTHING,)
    caught_up = _caught_up(step)
    if not caught_up:
        return found
    told = {"caught_up": caught_up}
    return tuple(Command(call.name, {**call.arguments, **told}) for call in found)


def _caught_up(step: ModelStep) -> list[list[int]]:
    """Leader, partition and follower of each that caught up of late.

    A step of the ISR's leader that removes a follower finds that it did not.
    """
    cluster = step.after if step.action in CAUGHT_UP else step.before
    bounds = cluster.bounds
    removed = step.arguments.get("follower") if step.action == SHRINK else None
    return [
        [leader, partition, follower]
        for leader in bounds.broker_ids
        for partition in bounds.partition_ids
        if cluster.presumes_leadership(leader, partition)
        for follower in sorted(cluster.remotes[leader][partition].caught_up)
        if follower != removed
    ]


CAUGHT_UP = ("catch_up", "fall_behind")
"""Actions that say which followers caught up of late."""
SHRINK = "maybe_shrink_isr"


def beginning(start: Brokers, known: Collection[str]) -> tuple[Command, ...]:
    """Calls that lead from nothing to an initial state of the model.

    Where broker 0 leads, followers have fetched once, so that it knows their ends.

    Args:
        start: the initial state.
        known: the names of the actions that the version has.
    """
    bounds = start.bounds
    size = {
        "brokers": bounds.brokers,
        "partitions": bounds.partitions,
        "directories": bounds.directories,
        "fetchers": bounds.fetchers,
        "fetch_size": bounds.fetch_size,
    }
    found = [Command("new", size)]
    for partition in bounds.partition_ids:
        found.append(_set_node(start, partition))
        found += _told_of(start, partition, known)
    for thread in _threads_of(start):
        found += [Command(name, _named(thread)) for name in FIRST_ROUND]
    return tuple(found)


FIRST_ROUND = (
    "fetch_truncating_partitions",
    "truncate_to_high_watermark",
    "maybe_fetch",
    "handle_fetch_request",
    "process_fetch_request",
)


def _told_of(
    start: Brokers, partition: PartitionId, known: Collection[str]
) -> Iterator[Command]:
    node = start.partition_nodes[partition].content
    assert node is not None, "every partition was initialised"
    for broker in start.bounds.broker_ids:
        if start.replicas[broker][partition].is_online():
            leads = node.leader == broker
            told = {"broker": broker, "partition": partition, "content": content(node)}
            yield Command("make_leaders" if leads else "make_followers", told)
            for name in ("make_leader",) if leads else LATER_HALVES:
                if name in known:
                    yield Command(name, {"broker": broker})


LATER_HALVES = ("replace_fetcher", "clear_failure")


def _threads_of(start: Brokers) -> Iterator[ThreadId]:
    for broker in start.bounds.broker_ids:
        threads = (start.threads_of(broker, manager) for manager in FetcherManager)
        for thread in chain.from_iterable(threads):
            if not start.thread(thread).is_at(ThreadPhase.ABSENT):
                yield thread


def orders(cluster: Brokers) -> Iterator[Command]:
    """Calls that put the partitions of each thread in the order of the model."""
    for thread in _threads_of(cluster):
        order = list(cluster.order(thread).partitions)
        yield Command("put_in_order", {**_named(thread), "order": order})


def _named(thread: ThreadId) -> dict[str, Any]:
    """A thread as the arguments of an action."""
    return {
        "follower": thread.follower,
        "leader": thread.leader,
        "fetcher": thread.fetcher,
    }


def content(told: LeaderAndIsr) -> dict[str, Any]:
    """What a request or a znode says, as the harness takes it."""
    return {
        "leader": -1 if told.leader is None else told.leader,
        "epoch": told.epoch,
        "isr": sorted(told.isr),
        "version": told.version,
        "controller": told.controller_epoch,
    }


def _set_node(cluster: Brokers, partition: PartitionId) -> Command:
    stored = cluster.partition_nodes[partition].content
    assert stored is not None, "every partition was initialised"
    return Command("set_node", {"partition": partition, "content": content(stored)})


CONTROLLER = ("elect_leader", "elect_leader_uncleanly", "restart")
"""Actions in which the controller may store a decision; leaders store ISRs."""


def _stored(step: ModelStep) -> Iterator[Command]:
    if step.action not in CONTROLLER:
        return
    for partition in step.before.bounds.partition_ids:
        old, new = (c.partition_nodes[partition] for c in (step.before, step.after))
        if old != new:
            yield _set_node(step.after, partition)


def _same_call(step: ModelStep) -> Iterator[Command]:
    yield step.call()


def _no_call(step: ModelStep) -> Iterator[Command]:
    yield from ()


def _request(step: ModelStep) -> Iterator[Command]:
    broker, partition = step.index
    told = step.before.inboxes[broker][partition].head
    directory = step.before.locations[broker][partition]
    yield step.call(content=content(told), directory=directory)


def _append(step: ModelStep) -> Iterator[Command]:
    yield step.call(record=step.before.next_records[step.arguments["partition"]])


def _delete(step: ModelStep) -> Iterator[Command]:
    leader, partition = step.arguments["leader"], step.arguments["partition"]
    yield step.call(offset=step.after.logs[leader][partition].start_offset)


def _crash(step: ModelStep) -> Iterator[Command]:
    """Log start offsets were written just before: what is deleted is so for good."""
    yield step.call("checkpoint_log_start_offsets")
    yield step.call()


def _fail_log_dir(step: ModelStep) -> Iterator[Command]:
    broker, partition = step.index
    directory = step.before.locations[broker][partition]
    yield step.call(directory=directory)


def _fail_future_log_dir(step: ModelStep) -> Iterator[Command]:
    broker, partition = step.index
    directory = step.before.future_logs[broker][partition].directory
    yield step.call("handle_log_dir_failure", directory=directory)


def _lose(step: ModelStep) -> Iterator[Command]:
    thread = ThreadId(*(step.arguments[k] for k in ("follower", "leader", "fetcher")))
    phase = step.before.thread(thread).phase
    asks_epochs = phase in (ThreadPhase.EPOCHS_ASKED, ThreadPhase.EPOCHS_ANSWERED)
    yield step.call("lose_epochs" if asks_epochs else "lose_fetch")


def _stall(step: ModelStep) -> Iterator[Command]:
    """The handler of the leader is held up, and the follower waits no longer."""
    yield step.call()
    yield step.call("lose_fetch")


def _consume(step: ModelStep) -> Iterator[Command]:
    leader, partition = step.arguments["leader"], step.arguments["partition"]
    yield step.call(offset=step.before.logs[leader][partition].start_offset)


def _respond(step: ModelStep) -> Iterator[Command]:
    """The follower allows for no wait, so that Kafka answers at once in any case."""
    yield step.call("handle_fetch_request", wait=0)


TRANSLATIONS: Mapping[str, Callable[[ModelStep], Iterator[Command]]] = {
    "elect_leader": _no_call,
    "elect_leader_uncleanly": _no_call,
    "lose_request": _no_call,
    "repeat_request": _no_call,
    "make_leaders": _request,
    "make_followers": _request,
    "refuse_leader_and_isr": _request,
    "fail_to_create_log": _request,
    "ignore_unknown_leader": _request,
    "append_records_to_leader": _append,
    "delete_records": _delete,
    "crash": _crash,
    "handle_log_dir_failure": _fail_log_dir,
    "handle_future_log_dir_failure": _fail_future_log_dir,
    "respond_immediately": _respond,
    "stall_after_read": _stall,
    "consume": _consume,
    "fall_behind": _no_call,
    "fail_call": _lose,
    "lose_call": _lose,
}
"""Actions that are not simply a command of the same name and arguments."""
