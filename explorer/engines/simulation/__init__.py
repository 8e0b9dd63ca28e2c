"""Very many random walks side by side over the learned tables, an estimate of what they
covered, and the shrinking of the violations that they find.
"""
