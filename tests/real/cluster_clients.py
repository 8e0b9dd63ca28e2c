"""What clients and administrators do to a real cluster, from topics to controllers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import kafka
import kafka.admin
import kafka.errors
from real_cluster import REGULAR, RealCluster

SECONDS = 10
EVENT = 2
"""Seconds in which a controller has handled what happened."""
LEARNING = 0.5
"""Seconds until the leader of a new topic has been told."""


def create_topic(cluster: RealCluster, topic: int, replicas: Sequence[int]) -> None:
    """Create a topic by its number, of one partition, with these replicas."""
    admin = kafka.admin.KafkaAdminClient(bootstrap_servers=cluster.addresses)
    assignment = {0: list(replicas)}
    new = kafka.admin.NewTopic(f"t{topic}", replica_assignments=assignment)
    admin.create_topics([new])
    cluster.wait_for_topic(topic)
    admin.close()
    time.sleep(LEARNING)


def create_topic_znode(
    cluster: RealCluster, topic: int, replicas: Sequence[int]
) -> None:
    """Create a topic by its znode, so that no broker that is halted has to answer."""
    content = {
        "version": 2,
        "partitions": {"0": list(replicas)},
        "adding_replicas": {},
        "removing_replicas": {},
    }
    cluster.create(f"/brokers/topics/t{topic}", content)
    cluster.wait_for_topic(topic)


def delete_topic_without_controller(cluster: RealCluster, topic: int = 0) -> None:
    """Mark a topic for deletion at once after there is no controller."""
    moved = cluster.client.delete_async("/controller")
    marked = cluster.client.create_async(f"/admin/delete_topics/t{topic}")
    moved.get()
    marked.get()


def produce(cluster: RealCluster, records: int, topic: int = 0) -> None:
    """Produce records with acks=all, each once; some may be refused, or get lost."""
    producer = kafka.KafkaProducer(
        bootstrap_servers=cluster.addresses,
        acks="all",
        retries=0,
        linger_ms=0,
        max_block_ms=1000 * SECONDS,
    )
    for _ in range(records):
        try:
            producer.send(f"t{topic}", b"record", partition=0).get(SECONDS)
        except kafka.errors.KafkaError:
            continue
    _close(producer)


def halt_followers(
    cluster: RealCluster, leader: int, followers: Sequence[int], records: int
) -> None:
    """Halt followers, and produce records that the leader has and they have not."""
    producer = _producer_of(cluster, leader, 1)
    _halt(cluster, followers)
    for _ in range(records):
        producer.send("t0", b"record", partition=0).get(SECONDS)
    _close(producer)


def halt_before_record(
    cluster: RealCluster, leader: int, followers: Sequence[int]
) -> Callable[[], None]:
    """Halt followers, and send a record that they are to have before its answer.

    What is returned waits for the answer.
    """
    producer = _producer_of(cluster, leader, "all")
    _halt(cluster, followers)
    sent = producer.send("t0", b"record", partition=0)

    def finish() -> None:
        with suppress(kafka.errors.KafkaError):
            sent.get(SECONDS)
        _close(producer)

    return finish


def _producer_of(
    cluster: RealCluster, leader: int, acks: int | str
) -> kafka.KafkaProducer:
    """A producer that knows the leader of the first topic already."""
    producer = kafka.KafkaProducer(
        bootstrap_servers=cluster.address(leader), acks=acks, retries=0, linger_ms=0
    )
    producer.partitions_for("t0")
    return producer


def _halt(cluster: RealCluster, followers: Sequence[int]) -> None:
    for follower in followers:
        cluster.halt(follower)
    # The fetches that wait at the leader are answered first, with nothing.
    time.sleep(LEARNING)


def _close(producer: kafka.KafkaProducer) -> None:
    with suppress(kafka.errors.KafkaTimeoutError):
        producer.close(timeout=2)


def reassign(cluster: RealCluster, replicas: Sequence[int], topic: int = 0) -> None:
    """Ask the controller to move a topic's partition to these brokers."""
    asked = {"topic": f"t{topic}", "partition": 0, "replicas": list(replicas)}
    content = {"version": 1, "partitions": [asked]}
    cluster.create("/admin/reassign_partitions", content)


def cancel_reassignment(cluster: RealCluster, topic: int = 0) -> None:
    """Ask the controller to go back to the brokers that a topic's partition had."""
    admin = kafka.admin.KafkaAdminClient(bootstrap_servers=cluster.addresses)
    admin.alter_partition_reassignments({kafka.TopicPartition(f"t{topic}", 0): None})
    admin.close()


def move_controller(cluster: RealCluster) -> None:
    """Delete ``/controller``; the broker that was it can be elected again."""
    epoch = _controller_epoch(cluster)
    cluster.delete("/controller")
    cluster.wait_for("a controller", lambda: _controller_epoch(cluster) != epoch)
    time.sleep(EVENT)


def elect(cluster: RealCluster, broker: int) -> None:
    """Let a broker become the controller, while the two others are halted."""
    others = [other for other in range(REGULAR) if other != broker]
    for other in others:
        cluster.halt(other)
    cluster.delete("/controller")
    cluster.wait_for("the controller", lambda: cluster.controller == broker)
    for other in others:
        cluster.go_on(other)
    time.sleep(EVENT)


def _controller_epoch(cluster: RealCluster) -> Any:
    return cluster.read("/controller_epoch")
