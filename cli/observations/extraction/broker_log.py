"""Lines of a broker's log, and what the expressions of a version make of them."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from attrs import define, field, frozen

from replicheck.cli.observations.extraction.cluster_names import ClusterNames
from replicheck.cli.observations.extraction.log_errors import LogError, errors_at
from replicheck.cli.observations.extraction.zookeeper_log import milliseconds
from replicheck.explorer.engines.trace_validation.observations import Observation

WITH_THREAD = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[T ][\d:]{8}[.,]\d{3}) (?P<level>[A-Z]+)"
    r" \[(?P<thread>[^]]*)\] (?P<logger>\S+) (?P<text>.*)"
)
"""``%d{ISO8601} %p [%t] %c %m``: what docs/validation.md asks for."""
SHIPPED = re.compile(
    r"\[(?P<time>\d{4}-\d\d-\d\d [\d:]{8},\d{3})\] (?P<level>[A-Z]+)"
    r" (?P<text>.*) \((?P<logger>[\w.$]+)\)"
)
"""``[%d] %p %m (%c)``: Kafka's own log4j.properties, which names no thread."""
MOST_CHARACTERS = 1 << 26
"""Of a line; a request that names every partition of a large cluster is shorter."""
DIRECTORY = re.compile(r"(?:, dir=| in dir )([^\],\s]+)")


@frozen
class Line:
    """A line of a broker's log; ``time`` is in ms, ``source`` its file and number."""

    time: int
    level: str
    thread: str
    logger: str
    text: str
    source: str


@frozen
class Found:
    """An event of a line; ``begin`` is in ms, None if it is the time of the line."""

    stream: str
    label: Mapping[str, Any]
    begin: int | None = None


Reading = Callable[[re.Match[str], Line, int, ClusterNames], Iterator[Found]]
"""Takes the match, its line, the number of the broker, and the cluster's names."""


@frozen
class Expression:
    """An expression for messages of some loggers, and what a match means."""

    loggers: tuple[str, ...]
    pattern: re.Pattern[str]
    reading: Reading


@define
class Recognition:
    """Counts of the lines of a log that were read, by logger and level."""

    recognised: Counter[str] = field(factory=Counter)
    ignored: Counter[str] = field(factory=Counter)
    """Lines that match no expression of the version."""
    malformed: int = 0
    """Lines of another form, such as those of a stack trace."""


def read_lines(path: Path, recognition: Recognition) -> Iterator[Line]:
    """Lines of a log file, which may be compressed with gzip, in their order.

    Raises:
        LogError: if it cannot be read.
    """
    if not path.is_file():
        raise LogError(f"{path}: is no regular file")
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", errors="replace") as file:
            for number, text in _numbered(file, path):
                line = _line(text, f"{path.name}:{number}")
                if line is not None:
                    yield line
                else:
                    recognition.malformed += 1
    except (EOFError, OSError, zlib.error) as error:
        raise LogError(f"{path}: cannot be read: {error}") from error


def _numbered(file: TextIO, path: Path) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(iter(partial(file.readline, MOST_CHARACTERS), ""), 1):
        if len(text) == MOST_CHARACTERS:
            raise LogError(
                f"{path}:{number}: has {MOST_CHARACTERS:,} characters or more"
            )
        yield number, text


def _line(text: str, source: str) -> Line | None:
    """Line with a time that there is, else None."""
    match = WITH_THREAD.match(text) or SHIPPED.match(text)
    if match is None:
        return None
    parts = match.groupdict()
    try:
        at = milliseconds(parts["time"])
    except ValueError:
        return None
    thread = parts.get("thread", "")
    return Line(at, parts["level"], thread, parts["logger"], parts["text"], source)


def directories_of(path: Path) -> set[str]:
    """Log directories that a broker's log names."""
    lines = read_lines(path, Recognition())
    return {match[1] for line in lines for match in DIRECTORY.finditer(line.text)}


def observations_of(
    path: Path,
    broker: int,
    names: ClusterNames,
    expressions: tuple[Expression, ...],
    recognition: Recognition,
) -> Iterator[Observation]:
    """Observations of a broker's log, in the order of its lines.

    Raises:
        LogError: if the log cannot be read, or a line has another form.
    """
    for line in read_lines(path, recognition):
        kind = f"{line.logger} {line.level}"
        expression, match = _recognised(line, expressions)
        if expression is None or match is None:
            recognition.ignored[kind] += 1
            continue
        recognition.recognised[kind] += 1
        with errors_at(line.source):
            events = [*expression.reading(match, line, broker, names)]
        for found in events:
            begin = line.time if found.begin is None else found.begin
            yield Observation(found.stream, begin, line.time, found.label, line.source)


def _recognised(
    line: Line, expressions: tuple[Expression, ...]
) -> tuple[Expression | None, re.Match[str] | None]:
    for expression in expressions:
        if line.logger in expression.loggers:
            match = expression.pattern.search(line.text)
            if match is not None:
                return expression, match
    return None, None
