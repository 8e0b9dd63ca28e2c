"""The partitioned engine: the breadth-first search in pieces that share only files."""
