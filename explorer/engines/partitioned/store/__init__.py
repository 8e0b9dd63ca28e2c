"""The store of a partitioned search: immutable files with checksums, on a disk or
behind a URI, and the arrays of states in them.
"""
