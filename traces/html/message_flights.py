"""Message flights of a run: between which steps each message was under way."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from replicheck.explorer.report import Trace
from replicheck.traces.describer import Describer


def message_flights(trace: Trace[Any], describer: Describer) -> list[dict[str, Any]]:
    """Each message with the step that sent it, and the one that received it, or None.

    Of equal messages between two lanes the oldest is received first.
    """
    flights: list[dict[str, Any]] = []
    open_flights = defaultdict[tuple[str, str, str], list[dict[str, Any]]](list)
    states = [trace.start, *(step.state for step in trace.steps)]
    for number, state in enumerate(states):
        count = Counter(
            (message.source, message.target, message.kind)
            for message in describer.in_flight(state)
        )
        for key in [*open_flights]:
            while len(open_flights[key]) > count[key]:
                open_flights[key].pop(0)["received"] = number
        for key, messages in count.items():
            while len(open_flights[key]) < messages:
                names = zip(("source", "target", "kind"), key, strict=True)
                flight = {**dict(names), "sent": number, "received": None}
                flights.append(flight)
                open_flights[key].append(flight)
    return flights
