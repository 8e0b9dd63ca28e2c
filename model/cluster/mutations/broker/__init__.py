"""Mutations of what brokers do."""
