"""Comparison of reduced searches with the naive engine."""
