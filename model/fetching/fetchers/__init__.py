"""Fetcher threads and their pool: which partitions they have, and in which state."""
