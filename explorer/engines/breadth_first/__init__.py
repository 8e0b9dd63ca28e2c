"""Breadth-first search on one machine, on all cores: level by level over learned
tables. Past the memory budget the search goes on with sorted runs on disk; checkpoints
let a later process go on.
"""
