"""What a state is to an engine: its cells, its fingerprint, its renamings, equal states
that differ only in object identity or in the order of sets.
"""
