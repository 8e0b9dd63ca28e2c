"""Oracles of the other engines."""
