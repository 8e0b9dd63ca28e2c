"""From one breadth-first level to the next: walk the trees of all states in chunks,
sort the candidates, drop duplicates.
"""
