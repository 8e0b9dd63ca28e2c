"""What a cluster does by itself before it is at rest."""

from __future__ import annotations

AWAITED = ("end_session", "finish_shutdown", "shrink_isr")
"""Actions of the environment, or that may be left out for ever, which happen in time.

The session of a process that is gone ends, a process that shuts down stops, and a
leader takes a follower out of the ISR that has not all records and does not fetch them.
So who says that a cluster was at rest has waited for longer than the timeout of
sessions and the time that a follower may lag.
"""
