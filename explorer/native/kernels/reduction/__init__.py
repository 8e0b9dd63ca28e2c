"""The kernel of partial-order reduction."""
