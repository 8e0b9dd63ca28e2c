"""Random invariants."""
