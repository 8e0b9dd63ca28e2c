"""Mutations of what controllers do."""
