"""One process at work: it expands and merges buckets with its own tables."""
