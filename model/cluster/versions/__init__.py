"""Protocols that differ from Kafka 2.5.1: repaired rules and smaller steps."""
