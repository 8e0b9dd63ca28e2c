"""Observations of real clusters: the file format, and how logs are read."""
