"""Deletion of topics and of their replicas."""
