"""Files of observations: JSON Lines, a header first, then one observation a line."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.runtime.bounded_files import parse_json, read_bounded

FORMAT = "replicheck-observations"
SCHEMA = 1
KEYS = ("stream", "from", "to", "label")
DEFAULT_SLACK = 20
AT_REST = "at rest"
"""What ``ends`` says of a cluster that was watched until nothing was left to do."""
UNOBSERVED = (
    "requests",
    "responses",
    "append",
    "truncate",
    "produce",
    "lead",
    "high_watermark",
    "epochs",
    "operator",
)
"""Kinds of streams, and of events in the stream of a log, that may be unobserved."""


class ObservationFileError(Exception):
    """A file holds no observations; the message names file, line and key."""


@frozen
class ObservationHeader:
    """What observations are of.

    ``slack`` is how far the clocks of two streams may differ, in ms; None if they say
    nothing. ``unobserved`` are kinds of streams and events that were not watched: a
    step that shows no other event is hidden. ``bounds`` replace those that are derived
    from the observations. ``names`` say what the numbers of brokers, topics and
    directories stand for, for a reader. ``ends`` is `AT_REST`, or None if that is not
    known.
    """

    model: str = "cluster"
    protocol: str = ""
    initial: str = "without-topic"
    slack: int | None = DEFAULT_SLACK
    bounds: Mapping[str, int] = field(factory=dict)
    unobserved: Sequence[str] = ()
    names: Mapping[str, Any] = field(factory=dict)
    source: str = ""
    ends: str | None = None


@frozen
class ObservationFile:
    """Observations with their header."""

    header: ObservationHeader
    observations: tuple[Observation, ...]


def dump(file: ObservationFile) -> Iterator[str]:
    """Lines of a file of observations."""
    head = {"format": FORMAT, "schema": SCHEMA, **asdict(file.header)}
    if file.header.ends is None:
        del head["ends"]
    yield json.dumps(head) + "\n"
    for observation in file.observations:
        yield json.dumps(_line_of(observation)) + "\n"


def load(path: Path) -> ObservationFile:
    """Observations in a file.

    Raises:
        OSError: if the file cannot be read.
        ObservationFileError: if it holds something else.
    """
    try:
        lines = read_bounded(path).decode("utf-8").splitlines()
    except FileNotFoundError as error:
        raise ObservationFileError(f"{path}: there is no such file") from error
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise ObservationFileError(
            f"{path}: {error.strerror}; cut it where nothing of interest happens, and"
            " validate each part"
        ) from error
    except UnicodeDecodeError as error:
        raise ObservationFileError(f"{path}: is no text in UTF-8") from error
    if not lines:
        raise ObservationFileError(f"{path}: is empty; the first line is a header")
    header = _header(_object(lines[0], f"{path}:1"), f"{path}:1")
    observations = tuple(_observations(lines[1:], path))
    return ObservationFile(header, observations)


def _line_of(observation: Observation) -> dict[str, Any]:
    line = {
        "stream": observation.stream,
        "from": observation.begin,
        "to": observation.end,
        "label": observation.label,
    }
    return {**line, "source": observation.source} if observation.source else line


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        found = parse_json(text)
    except ValueError as error:
        raise ObservationFileError(f"{place}: is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ObservationFileError(f"{place}: is no JSON object")
    return found


def _header(line: dict[str, Any], place: str) -> ObservationHeader:
    if line.get("format") != FORMAT:
        raise ObservationFileError(
            f'{place}: is no header; it needs "format": "{FORMAT}"'
        )
    if line.get("schema") != SCHEMA:
        raise ObservationFileError(
            f"{place}: schema: is {line.get('schema')}; this version reads {SCHEMA}"
        )
    fields = {key: line[key] for key in line if key not in ("format", "schema")}
    types: dict[str, tuple[type, ...]] = {
        "model": (str,),
        "protocol": (str,),
        "initial": (str,),
        "slack": (int, type(None)),
        "bounds": (dict,),
        "unobserved": (list,),
        "names": (dict,),
        "source": (str,),
        "ends": (str, type(None)),
    }
    for key, value in fields.items():
        if key not in types:
            known = ", ".join(types)
            raise ObservationFileError(f"{place}: {key}: unknown key; known: {known}")
        _expect(isinstance(value, types[key]), place, key, value, _names(types[key]))
    for bound, value in fields.get("bounds", {}).items():
        is_count = isinstance(value, int) and not isinstance(value, bool)
        _expect(is_count, place, f"bounds.{bound}", value, "an integer")
    for kind in fields.get("unobserved", ()):
        known = f"one of {', '.join(UNOBSERVED)}"
        _expect(kind in UNOBSERVED, place, "unobserved", kind, known)
    ends = fields.get("ends")
    _expect(ends in (None, AT_REST), place, "ends", ends, f'"{AT_REST}" or null')
    return ObservationHeader(**fields)


def _observations(lines: Iterable[str], path: Path) -> Iterator[Observation]:
    for number, text in enumerate(lines, 2):
        place = f"{path}:{number}"
        line = _object(text, place)
        for key in KEYS:
            if key not in line:
                raise ObservationFileError(f"{place}: {key}: is missing")
        for key in line:
            if key not in (*KEYS, "source"):
                known = ", ".join((*KEYS, "source"))
                raise ObservationFileError(
                    f"{place}: {key}: unknown key; known: {known}"
                )
        begin, end, label = line["from"], line["to"], line["label"]
        source = line.get("source", f"{path.name}:{number}")
        for key in ("from", "to"):
            is_time = isinstance(line[key], int) and not isinstance(line[key], bool)
            _expect(is_time, place, key, line[key], "an integer of milliseconds")
        _expect(end >= begin, place, "to", end, f"a time that is not before {begin}")
        _expect(isinstance(label, dict), place, "label", label, "an object")
        _expect(isinstance(source, str), place, "source", source, "a text")
        stream = line["stream"]
        is_name = isinstance(stream, str) and stream != ""
        _expect(is_name, place, "stream", stream, "a name")
        yield Observation(stream, begin, end, label, source)


def _expect(is_met: bool, place: str, key: str, value: object, expected: str) -> None:
    if not is_met:
        raise ObservationFileError(
            f"{place}: {key}: is {json.dumps(value)}, expected {expected}"
        )


def _names(types: tuple[type, ...]) -> str:
    words = {
        str: "a text",
        int: "an integer",
        dict: "an object",
        list: "a list",
        type(None): "null",
    }
    return " or ".join(words[kind] for kind in types)
