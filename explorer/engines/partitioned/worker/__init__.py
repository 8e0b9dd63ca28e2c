"""One process at work on a partitioned search: it expands and merges buckets with its
own tables, and learns what the other workers broadcast.
"""
