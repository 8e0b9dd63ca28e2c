"""Brokers whose replica fetcher threads copy partitions from their leaders (KIP-461).

A thread's loop is taken apart where the thread gives up the lock of its partitions:
each request, its answer, and what the thread does with it are steps of their own. The
controller is reduced to its decisions: an election sends a request to every broker,
which comes late, or not at all if a new controller takes over.

Source: Apache Kafka 2.5.1. Each function names its rules (``Rules: F-FENCE``) and the
method of Kafka that it restates (``Source: AbstractFetcherThread.…``).
"""
