"""Mutations: Kafka 2.5.1 with one rule of its fetchers broken on purpose.

Each replaces single rules by others that are spelled out here. A module has those of
one subject. Where each shows, and what catches it, is data: see
``invariants/fetching/mutants``.
"""
