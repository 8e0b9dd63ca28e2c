"""Immutable, checksummed files on a disk or behind a URI."""
