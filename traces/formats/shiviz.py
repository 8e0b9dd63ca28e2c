"""Runs as logs with vector clocks, which ShiViz draws.

Each event takes two lines: the host with its clock, and what happened. ShiViz splits
them by the expression ``EVENT``, its default.

Source: https://bitbucket.org/bestchai/shiviz/wiki, "Log format".
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from replicheck.traces.describer import Describer
from replicheck.traces.formats.sequence_diagram import Scene, scenes
from replicheck.traces.json_lines import SavedTrace

EVENT = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"

Clock = dict[str, int]


def shiviz(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of a log.

    The participant that acts has one event for the step, and one that is told has one
    more, which comes after it. What happens to no lane is the first's.
    """
    lanes = describer.lanes(saved.trace.start)
    clocks: dict[str, Clock] = {lane: {} for lane in lanes}
    lines = [
        line
        for scene in scenes(saved.trace, describer)
        for line in _events(scene, clocks, lanes[0])
    ]
    return "\n".join(lines) + "\n"


def _events(scene: Scene, clocks: dict[str, Clock], default: str) -> Iterator[str]:
    sources = [source for source, _target in scene.messages]
    for lane in dict.fromkeys(sources or [scene.actor or default]):
        yield from _event(lane, clocks, scene.title)
    for source, target in scene.messages:
        clocks[target] = _merged(clocks[target], clocks[source])
        yield from _event(target, clocks, f"{scene.title}: told by {source}")


def _event(lane: str, clocks: dict[str, Clock], text: str) -> Iterator[str]:
    host = _host(lane)
    clocks[lane][host] = clocks[lane].get(host, 0) + 1
    yield f"{host} {json.dumps(clocks[lane], sort_keys=True)}"
    yield text


def _merged(clock: Clock, heard: Clock) -> Clock:
    return {host: max(clock.get(host, 0), heard.get(host, 0)) for host in clock | heard}


def _host(lane: str) -> str:
    return lane.replace(" ", "-")
