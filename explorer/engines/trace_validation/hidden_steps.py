"""What a search is told of steps that nothing shows, by names of actions."""

from __future__ import annotations

from attrs import frozen

from replicheck.explorer.engines.trace_validation.queued_events import (
    Clears,
    clears_always,
)


@frozen
class HiddenSteps:
    """Names of actions of which a step that shows nothing is no choice like another.

    ``unlikely`` are tried last. ``late`` are taken only where a later step depends on
    them. ``at_once`` are taken before all others where an instance was only ever seen
    to read and write cells of its own process: of the families ``own``, with its first
    argument as their first index. What another process does to such cells must leave
    the step as it is, or leave no trace of whether it was taken; and of what it adds at
    the end of a queue, nothing may have to come.

    ``copies`` handle copies of messages, see `needless_steps`; ``of_messages`` are the
    families of cells that have messages and copies. What an action shows that handles a
    copy leaves open what of the message's event depends on the state. ``clears`` says
    what may clear a queue, see `queued_events`.
    """

    unlikely: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    at_once: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    of_messages: frozenset[str] = frozenset()
    clears: Clears = clears_always


ALL_ALIKE = HiddenSteps()
