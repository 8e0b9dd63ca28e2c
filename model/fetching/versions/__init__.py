"""Protocols of other versions of Kafka, and repaired rules."""
