"""Mutations: Kafka 2.5.1 with one rule broken on purpose.

Each replaces transition functions by others that are spelled out here, so that the
protocol itself has no switch for them. A module has those of one subject. Where each
shows, and what catches it, is data: see ``invariants/cluster/mutants``.
"""
