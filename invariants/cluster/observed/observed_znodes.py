"""Labels of ZooKeeper's transactions: the writes of one step to znodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from replicheck.model.cluster.cells.controller.reassignment_tasks import WriteAssignment
from replicheck.model.cluster.state import Cluster

Label = dict[str, Any]


def znode_writes(action: str, old: Cluster, new: Cluster) -> list[Label]:
    """Writes of a step to znodes, in the order of `znode_order`."""
    partitions = old.bounds.partition_ids
    writes = [
        *_registrations(action, old, new),
        *_controller_nodes(old, new),
        *_assignments(action, old, new),
        *chain.from_iterable(_of_topic(number, old, new) for number in partitions),
        *_sequences("log_dir_event", old.notifications, new.notifications),
        *_sequences("isr_change", old.isr_changes, new.isr_changes),
    ]
    return sorted(writes, key=znode_order)


def znode_order(write: Mapping[str, Any]) -> tuple[str, int]:
    """Rank of a write within its transaction, for ours and for what was seen."""
    keys = ("partition", "sequence", "broker")
    number = next((write[key] for key in keys if write.get(key) is not None), -1)
    return str(write["znode"]), int(number)


def _registrations(action: str, old: Cluster, new: Cluster) -> Iterator[Label]:
    for broker in old.bounds.broker_ids:
        present = new.broker_nodes[broker].is_present
        if old.broker_nodes[broker].is_present != present:
            label = {"znode": "broker", "broker": broker, "present": present}
            if not present:
                label["session"] = "expired" if action == "expire_session" else ...
            yield label


def _assignments(action: str, old: Cluster, new: Cluster) -> Iterator[Label]:
    """Assignments that were written; the end of a reassignment can write the same."""
    written = _written_at_the_end(old, new) if action == "write_assignment" else ()
    for partition in old.bounds.partition_ids:
        was, now = (state.topic_nodes[partition].assignment for state in (old, new))
        if was != now or partition in written:
            yield {
                "znode": "topic",
                "partition": partition,
                "replicas": list(now.replicas),
                "adding": list(now.adding),
                "removing": list(now.removing),
            }


def _written_at_the_end(old: Cluster, new: Cluster) -> Iterator[int]:
    for controller in old.bounds.broker_ids:
        thread = old.threads[controller]
        stays = new.contexts[controller].is_active()
        if thread is not new.threads[controller] and stays:
            assert isinstance(thread.task, WriteAssignment), "the action writes one"
            yield thread.task.partition


def _of_topic(partition: int, old: Cluster, new: Cluster) -> Iterator[Label]:
    was, now = old.topic_nodes[partition], new.topic_nodes[partition]
    if was.is_marked != now.is_marked:
        marker = {"znode": "topic_deletion", "partition": partition}
        yield {**marker, "present": now.is_marked}
    if was.requested != now.requested:
        request = {"znode": "reassignment", "partition": partition}
        yield {**request, "replicas": list(now.requested)}
    node = new.partition_nodes[partition]
    if old.partition_nodes[partition] != node and node.exists():
        content = node.content
        assert content is not None, "a node that exists has a content"
        yield {
            "znode": "partition_state",
            "partition": partition,
            "leader": content.leader,
            "leader_epoch": content.epoch,
            "isr": sorted(content.isr),
            "controller_epoch": content.controller_epoch,
            "version": content.version,
        }


def _controller_nodes(old: Cluster, new: Cluster) -> Iterator[Label]:
    nodes = new.controller_nodes
    if old.controller_nodes == nodes:
        return
    if nodes.holder is None:
        yield {"znode": "controller", "broker": None}
    else:
        label = {"znode": "controller", "broker": nodes.holder}
        yield {**label, "controller_epoch": nodes.epoch}


def _sequences(znode: str, old: Any, new: Any) -> Iterator[Label]:
    for node in new.nodes - old.nodes:
        yield {"znode": znode, "sequence": node.sequence, "present": True}
    for node in old.nodes - new.nodes:
        yield {"znode": znode, "sequence": node.sequence, "present": False}
