"""What is claimed of the fetching brokers, and what a sound check must have seen.

Each docstring names its property (``I-DISJOINT``) and its status in Kafka 2.5.1: holds;
holds under a condition; known to be violated.
"""
