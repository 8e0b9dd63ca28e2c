"""Properties of the cluster with fetcher threads: those of both its models.

A property that both have, under one name, is the cluster's.
"""
