"""What clients ask of a real cluster: topics, records, reassignments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import kafka
import kafka.admin
import kafka.errors
from real_cluster import RealCluster

SECONDS = 10
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
    with suppress(kafka.errors.KafkaTimeoutError):
        producer.close(timeout=2)


def halt_followers(
    cluster: RealCluster, leader: int, followers: Sequence[int], records: int
) -> None:
    """Halt followers, and produce records that the leader has and they have not."""
    producer = kafka.KafkaProducer(
        bootstrap_servers=cluster.address(leader), acks=1, linger_ms=0
    )
    producer.partitions_for("t0")
    for follower in followers:
        cluster.halt(follower)
    # The fetches that wait at the leader are answered first, with nothing.
    time.sleep(LEARNING)
    for _ in range(records):
        producer.send("t0", b"record", partition=0).get(SECONDS)
    with suppress(kafka.errors.KafkaTimeoutError):
        producer.close(timeout=2)


def reassign(cluster: RealCluster, replicas: Sequence[int], topic: int = 0) -> None:
    """Ask the controller to move a topic's partition to these brokers."""
    asked = {"topic": f"t{topic}", "partition": 0, "replicas": list(replicas)}
    content = {"version": 1, "partitions": [asked]}
    cluster.create("/admin/reassign_partitions", content)
