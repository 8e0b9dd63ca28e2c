"""Replication of one log, as the published specifications describe it."""
