"""What is claimed of the cluster, what a sound check must have seen.

Each docstring names its property (``INV-6``, ``LIV-1``) and its status in Kafka 2.5.1:
holds; holds under a condition; known to be violated. A liveness property is judged
where nothing is left to do, as a property of such states.
"""
