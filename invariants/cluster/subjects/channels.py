"""What is true of the requests in line to the brokers."""

from __future__ import annotations

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId


def requests_to_broker_stay_in_order(
    before: Cluster, after: Cluster, controller: BrokerId, broker: BrokerId
) -> bool:
    """A request leaves the line to its broker from the front, and joins it at the end.

    Or all go at once, with the channel. Duplicate requests are in no line.
    INV-25; holds.
    """
    if after.channels[controller][broker] is before.channels[controller][broker]:
        return True
    old = before.channels[controller][broker]
    return old.keeps_order_in(after.channels[controller][broker])


STEPS = (requests_to_broker_stay_in_order,)
