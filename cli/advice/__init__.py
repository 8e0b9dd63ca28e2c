"""Advice: which faults a configuration of a topic survives, by exhaustive searches."""
