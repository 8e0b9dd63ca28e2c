"""Replication of one partition, as abstract as Kafka's TLA+ specification states it.

One controller that acts atomically, a store that every decision reads and writes at
once, replicas with a log and a high watermark, and LeaderAndIsr requests that are lost,
delayed and repeated at will. What truncation and fencing ought to do is decided here,
away from everything else that a cluster does.

Source: kafka-specification by Jason Gustafson (KafkaReplication.tla and its variants).
"""
