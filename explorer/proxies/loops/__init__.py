"""Loops over sets: which items a loop does anything with."""
