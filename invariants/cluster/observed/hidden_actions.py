"""Which of the steps that no log shows a search takes last, late or at once.

Only `AT_ONCE` and `COPIES` need an argument. A controller handles one event after the
other, and one task of it after the other, so nothing else of this controller can come
before such a step. The step reads and writes what this controller alone has: its queue,
its thread, its context, and the channels to brokers. Others add events at the end of
the queue, and take requests from the head of a channel, which the step leaves as they
are. What else they do to these cells ends the process or the session: that clears the
queue, the thread, the context and the channels, so no trace is left of the step. A
request that the step sends need not be handled, and stands behind all earlier ones.
"""

from __future__ import annotations

LAST = ("send_again",)
"""Actions that are taken only where nothing else leads on, besides faults."""
LATE = ("fetch",)
"""Actions that are taken where a later step depends on them; any could be among them. A
fetch that brings no record is possible most of the time, and seldom matters."""
AT_ONCE = (
    "handle_leader_and_isr_response",
    "ignore_event",
    "announce_brokers",
    "start_replica_state_machine",
    "start_partition_state_machine",
    "start_new_replicas",
    "remove_replicas",
    "stop_replicas",
)
"""Steps of a controller that ask neither ZooKeeper nor a broker."""
OF_A_CONTROLLER = ("event_queues", "threads", "contexts", "batches", "channels")
"""Families of cells that belong to a controller, by its number."""
COPIES = ("handle_duplicate_request",)
"""Actions that handle the copy of a request, as its own action handles the request. The
request stays at the head of its channel until it is handled, or the channel is cleared;
of its answer, nothing has to come."""
OF_MESSAGES = ("channels", "duplicate_requests")
"""Families of cells that have requests, their answers and their copies."""
