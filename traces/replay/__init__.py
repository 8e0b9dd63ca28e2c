"""A saved run in the present model: replayed, reordered, explained."""
