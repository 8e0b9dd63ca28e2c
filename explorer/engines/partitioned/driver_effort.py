"""Driver effort: what a partitioned search has taken, for its report."""

from __future__ import annotations

from attrs import define


@define
class DriverEffort:
    """What a search has taken, in all processes together.

    ``expanding`` and ``merging`` are CPU seconds of tasks. ``exchanged`` is how many
    bytes processes sent one another through files; ``twice`` how many leaves more than
    one of them learned on the same level; ``alone`` how many levels the driver did;
    ``sent`` how many of the tasks the cluster did; ``peak`` the most bytes of memory
    that a process held that did tasks.
    """

    expanding: float = 0.0
    merging: float = 0.0
    tasks: int = 0
    alone: int = 0
    sent: int = 0
    exchanged: int = 0
    leaves: int = 0
    twice: int = 0
    peak: int = 0
