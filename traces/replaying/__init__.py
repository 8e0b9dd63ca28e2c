"""Saved runs in the model as it is now: replayed, reordered, explained."""
