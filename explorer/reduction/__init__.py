"""Partial-order reduction: which enabled steps of a state are enough, by what was
learned of the model. Decision 9 has the theorem and its proof.
"""
