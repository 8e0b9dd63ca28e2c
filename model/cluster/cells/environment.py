"""What no part of Kafka holds: how often faults can still happen, and ghosts."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.shared.budgets import Budgets


@frozen
class Faults(Budgets):
    """How often each fault can still happen."""

    directory_failures: int = 0
    crashes: int = 0
    restarts: int = 0
    replacements: int = 0
    controller_moves: int = 0
    isr_shrinks: int = 0
    session_expiries: int = 0
    duplicates: int = 0
    lost_replies: int = 0
    preferred_directories: int = 0
    preferred_elections: int = 0
    unclean_elections: int = 0
    shutdowns: int = 0
    late_shutdowns: int = 0
    topic_deletions: int = 0
    topic_recreations: int = 0
    reassignments: int = 0
    cancellations: int = 0
    caught_up_followers: int = 0
