"""Carries tasks out: searches and random walks with the engines, results from the
cache, searches that tasks share, the folder of a run, progress, traces on disk.
"""
