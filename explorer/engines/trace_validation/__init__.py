"""Trace validation: a run of a model that explains what was seen of a real system."""
