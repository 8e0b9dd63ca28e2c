"""Draw the diagrams of the models: ``python .ci/diagrams.py docs/pictures``.

A box has a title and lines below it; an arrow leads from a box to a box. Titles that
are names of actions are those of the model, which a test compares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

LINE_HEIGHT = 16
STYLE = """\
text { font: 12px sans-serif; fill: #1d1f23; text-anchor: middle; }
.title { font-weight: bold; }
.label { font-size: 11px; fill: #0b57b0; }
.box { fill: #f2f3f1; stroke: #5b6069; }
.arrow { stroke: #0b57b0; stroke-width: 1.5; fill: none; marker-end: url(#head); }
#head path { fill: #0b57b0; }
"""


class Box(NamedTuple):
    """A box by its middle, its width and what is in it."""

    x: int
    y: int
    width: int
    title: str
    lines: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """Height in pixels."""
        return LINE_HEIGHT * (len(self.lines) + 1) + 14

    def edge(self, x: int, y: int) -> tuple[int, int]:
        """Where a line from the middle to another point leaves the box."""
        dx, dy = x - self.x, y - self.y
        half_width, half_height = self.width / 2 + 2, self.height / 2 + 2
        scale = 1 / max(abs(dx) / half_width, abs(dy) / half_height, 1)
        return round(self.x + dx * scale), round(self.y + dy * scale)


class Diagram(NamedTuple):
    """Boxes by id, and arrows between them with their labels."""

    title: str
    size: tuple[int, int]
    boxes: Mapping[str, Box]
    arrows: tuple[tuple[str, str, str], ...]

    def svg(self) -> str:
        """The text of an SVG file."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        width, height = self.size
        yield (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
            f' viewBox="0 0 {width} {height}" width="{width}">'
        )
        yield f"<title>{escape(self.title)}</title><style>{STYLE}</style>"
        yield (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4"'
            ' markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 8 4 0 8z"/></marker></defs>'
        )
        yield f'<rect width="{width}" height="{height}" fill="#fdfdfc"/>'
        for source, target, label in self.arrows:
            yield from self._arrow(self.boxes[source], self.boxes[target], label)
        for box in self.boxes.values():
            yield from _box(box)
        yield "</svg>"

    def _arrow(self, source: Box, target: Box, label: str) -> Iterator[str]:
        x1, y1 = source.edge(target.x, target.y)
        x2, y2 = target.edge(source.x, source.y)
        yield f'<path class="arrow" d="M{x1} {y1}L{x2} {y2}"/>'
        x, y = (x1 + x2) // 2, (y1 + y2) // 2 - 5
        yield f'<text class="label" x="{x}" y="{y}">{escape(label)}</text>'


def _box(box: Box) -> Iterator[str]:
    left, top = box.x - box.width // 2, box.y - box.height // 2
    yield (
        f'<rect class="box" rx="4" x="{left}" y="{top}" width="{box.width}"'
        f' height="{box.height}"/>'
    )
    for number, line in enumerate((box.title, *box.lines)):
        kind = "line" if number else "title"
        y = top + 19 + LINE_HEIGHT * number
        yield f'<text class="{kind}" x="{box.x}" y="{y}">{escape(line)}</text>'


DIAGRAMS = {
    "cluster": Diagram(
        "The cluster as the model has it",
        (860, 420),
        {
            "zookeeper": Box(
                180,
                60,
                280,
                "ZooKeeper",
                (
                    "/controller, /brokers/ids, sessions",
                    "leader and ISR, notifications",
                ),
            ),
            "controller": Box(
                620,
                60,
                300,
                "controller (one thread)",
                ("event queue", "what it knows of brokers, leaders, ISRs"),
            ),
            "channel": Box(
                620, 200, 300, "channel to each broker", ("requests, then responses",)
            ),
            "leader": Box(
                300,
                340,
                260,
                "broker: leader",
                ("process, session, metadata cache", "log directories with logs"),
            ),
            "follower": Box(
                660,
                340,
                260,
                "broker: follower",
                ("process, session, metadata cache", "log directories with logs"),
            ),
            "environment": Box(
                90, 210, 150, "environment", ("crashes, disks,", "admins")
            ),
        },
        (
            ("zookeeper", "controller", "watches, reads; writes"),
            ("controller", "zookeeper", ""),
            ("controller", "channel", "LeaderAndIsr, UpdateMetadata, StopReplica"),
            ("channel", "follower", ""),
            ("channel", "leader", ""),
            ("leader", "zookeeper", "ISR, failed directory"),
            ("follower", "leader", "fetch"),
            ("environment", "leader", "faults"),
        ),
    ),
    "request": Diagram(
        "The way of a LeaderAndIsr request",
        (900, 300),
        {
            "write": Box(120, 50, 190, "write_election", ("ZooKeeper has the leader",)),
            "queue": Box(380, 50, 170, "channel", ("one request in flight",)),
            "handle": Box(690, 50, 220, "handle_leader_and_isr", ("the broker obeys",)),
            "again": Box(380, 150, 190, "send_again", ("the connection breaks",)),
            "duplicate": Box(
                690, 150, 220, "handle_duplicate_request", ("its answer is lost",)
            ),
            "response": Box(
                110, 250, 190, "receive_response", ("the channel is free",)
            ),
            "event": Box(
                640,
                250,
                260,
                "handle_leader_and_isr_response",
                ("offline replicas, a new election",),
            ),
        },
        (
            ("write", "queue", ""),
            ("queue", "handle", "request"),
            ("handle", "queue", ""),
            ("queue", "again", ""),
            ("again", "duplicate", "copy"),
            ("queue", "response", "answer"),
            ("response", "event", "event queue"),
        ),
    ),
    "fetcher": Diagram(
        "The loop of a replica fetcher thread",
        (900, 440),
        {
            "add": Box(130, 50, 200, "replace_fetcher", ("told to follow a leader",)),
            "ask": Box(430, 50, 250, "fetch_truncating_partitions", ("latest epoch?",)),
            "answer": Box(
                740, 110, 290, "handle_offset_for_leader_epoch_request", ("the leader",)
            ),
            "cut": Box(
                430, 170, 250, "truncate_to_epoch_end_offsets", ("the log is cut",)
            ),
            "high": Box(
                130, 170, 230, "truncate_to_high_watermark", ("no epoch known",)
            ),
            "fetch": Box(130, 330, 160, "maybe_fetch", ("from its end",)),
            "leader": Box(430, 270, 210, "handle_fetch_request", ("the leader",)),
            "use": Box(740, 330, 210, "process_fetch_request", ("records, watermark",)),
            "failed": Box(740, 410, 210, "failed partition", ("until the next epoch",)),
        },
        (
            ("add", "ask", ""),
            ("ask", "answer", ""),
            ("answer", "cut", ""),
            ("cut", "ask", "another round"),
            ("add", "high", ""),
            ("high", "fetch", ""),
            ("cut", "fetch", "logs agree"),
            ("fetch", "leader", ""),
            ("leader", "use", ""),
            ("use", "fetch", "again"),
            ("use", "failed", "error"),
        ),
    ),
}


def main(folder: Path) -> None:
    """Write all diagrams to a folder."""
    for name, diagram in DIAGRAMS.items():
        (folder / f"{name}.svg").write_text(diagram.svg(), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
