"""Conformance: runs of a model executed in lock-step on Kafka's own classes.

Each step of the model is a call into Kafka, and after each the states of both are
compared. Known differences are data; whatever else differs is told with its run.
"""
