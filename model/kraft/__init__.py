"""Kafka in KRaft mode, of which the metadata log is the only shared truth.

One active controller appends images to the metadata log, and brokers publish prefixes
of it, one record or several merged into one. Here is one topic with one partition:
registrations, elections with eligible leader replicas (KIP-966), AlterPartition, log
directories (KIP-858) and moves between them, reassignment, and replication with
truncation on fetch. Topics that are created are not modelled yet.
"""
