"""Very many random walks side by side over the learned tables, and the shrinking of
what they find.
"""
