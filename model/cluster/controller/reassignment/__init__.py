"""Reassignment of a partition's replicas."""
