"""The breadth-first search of representatives of runs, by partial-order reduction."""
