"""A model as text for Spin: an exhaustive search fills the learned tables, and their
decision trees become the transitions of one Promela process.
"""
