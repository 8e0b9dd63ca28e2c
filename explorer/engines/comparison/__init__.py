"""Comparison: the shortest run that two models share, after which they part."""
