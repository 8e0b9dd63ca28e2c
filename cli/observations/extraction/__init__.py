"""Logs of Kafka and ZooKeeper as observations, one module for each version."""
