"""Traces as JSON Lines, written and read without loss.

The first line is the header: the schema, what was run, what broke, and a digest of the
whole. Then a line for each state: the first in full, the others with the action, its
arguments, and the cells that it changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen
from attrs.validators import (
    deep_iterable,
    deep_mapping,
    ge,
    in_,
    instance_of,
    optional,
)

from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Trace
from replicheck.explorer.runtime.atomic_files import write_atomically
from replicheck.explorer.runtime.bounded_files import parse_json, read_bounded
from replicheck.explorer.runtime.digest import sha256
from replicheck.traces.observed import Observed, observed_of
from replicheck.traces.printable_text import has_control_character
from replicheck.traces.value_json import Classes, entries, require_printable, trace_of

SCHEMA = 4
DIGEST_LENGTH = 16


class TraceError(Exception):
    """A file holds no trace, a torn one, or one of another schema or model."""


TEXTS = deep_iterable(instance_of(str), instance_of(tuple))
WHOLE_NUMBERS = deep_mapping(instance_of(str), instance_of(int), instance_of(dict))
KINDS = ("", "error", *(kind.value for kind in Kind))


PLACE = [instance_of(int), ge(0)]


def _tuple(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


@frozen
class Header:
    """What a trace is a run of, and what it shows.

    ``kind`` is that of the property, or ``error`` where a function of the model raised;
    ``instance`` is then what it raised. A run that shows nothing has neither. The run
    begins in the initial state with the name ``initial``, if the model has several,
    after the steps of ``setup``. ``reductions`` are the steps that it takes together;
    ``version`` is that of the replicheck that wrote it. ``observed`` is what the real
    system had at the end, if the run is one that it does not take as the model does.
    ``loop`` is the place of the state from which the rest repeats for ever, if it does.
    """

    scenario: str = field(validator=instance_of(str))
    model: str = field(validator=instance_of(str))
    protocol: str = field(validator=instance_of(str))
    bounds: Mapping[str, int] = field(factory=dict, validator=WHOLE_NUMBERS)
    property: str = field(default="", validator=instance_of(str))
    kind: str = field(default="", validator=in_(KINDS))
    instance: str = field(default="", validator=instance_of(str))
    initial: str = field(default="", validator=instance_of(str))
    setup: tuple[str, ...] = field(default=(), converter=_tuple, validator=TEXTS)
    version: str = field(default="", validator=instance_of(str))
    reductions: tuple[str, ...] = field(default=(), converter=_tuple, validator=TEXTS)
    observed: Observed | None = field(default=None, converter=observed_of)
    loop: int | None = field(default=None, validator=optional(PLACE))

    def title(self) -> str:
        """Title of a run in one line: what it is a run of."""
        reductions = (f"reduction={name}" for name in self.reductions)
        return ", ".join((self.scenario, self.protocol, *reductions))


@frozen
class SavedTrace:
    """A trace with its header, as a file holds them.

    ``observations`` say of a run that explains some what was seen of each step,
    with where it was read; nothing of a hidden step. Of another run it is None.
    """

    header: Header
    trace: Trace[Any]
    observations: tuple[tuple[str, ...], ...] | None = None


def write(path: Path, saved: SavedTrace) -> None:
    """Write a trace to a file, which is there whole or not at all.

    Raises:
        OSError: if the file cannot be written.
        EncodingError: if a state holds a value without JSON form.
    """
    write_atomically(path, dumps(saved))


def read(path: Path, classes_of: Callable[[str], Classes]) -> SavedTrace:
    """Trace in a file.

    Args:
        path: the file.
        classes_of: returns the classes of the model with a name.

    Raises:
        OSError: if the file cannot be read.
        TraceError: if it holds no whole trace of this schema and these models.
    """
    with _errors_of(path):
        return loads(read_bounded(path).decode("utf-8"), classes_of)


def read_header(path: Path) -> Header:
    """Header of the trace in a file; its states are not taken for values of a model.

    Raises:
        OSError: if the file cannot be read.
        TraceError: if it holds no whole trace of this schema.
    """
    with _errors_of(path):
        head, _ = _whole(read_bounded(path).decode("utf-8"))
        with _errors_of_models(head):
            return _header(head)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Have errors name a file."""
    try:
        yield
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise TraceError(f"{path}: is no text in UTF-8") from error


def dumps(saved: SavedTrace) -> str:
    """A trace as the text of its file."""
    states = [_line(entry) for entry in entries(saved.trace, saved.observations)]
    header = asdict(saved.header, recurse=False)
    if not saved.header.reductions:
        del header["reductions"]
    if saved.header.loop is None:
        del header["loop"]
    if saved.header.observed is None:
        del header["observed"]
    else:
        header["observed"] = saved.header.observed.to_json()
    head = {"schema": SCHEMA, **header, "states": len(states)}
    head["digest"] = digest_of(head, states)
    return "".join(f"{line}\n" for line in [_line(head), *states])


def loads(text: str, classes_of: Callable[[str], Classes]) -> SavedTrace:
    """Trace that a text holds; ``classes_of`` is that of `read`.

    Raises:
        TraceError: if it is none.
    """
    head, states = _whole(text)
    with _errors_of_models(head):
        header = _header(head)
        trace = trace_of(states, classes_of(header.model))
        return SavedTrace(header, trace, observations_in(states))


def _header(head: dict[str, Any]) -> Header:
    described = {
        name: value
        for name, value in head.items()
        if name not in ("schema", "states", "digest")
    }
    header = Header(**described)
    require_printable(described)
    return header


@contextmanager
def _errors_of_models(head: dict[str, Any]) -> Iterator[None]:
    """Have errors of what does not fit a model name the version that wrote it."""
    try:
        yield
    except (
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        RecursionError,
        ModelError,
    ) as error:
        raise TraceError(
            f"no trace of a model at hand: {error}. It was written by replicheck"
            f" {head.get('version') or 'of an unknown version'}; run the check again"
        ) from error


def _whole(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first line of a text and its states, if all that was written is there.

    Raises:
        TraceError: if it is not.
    """
    lines = text.splitlines()
    if not lines:
        raise TraceError("the file is empty")
    has_header = len(lines) > 1 or text.startswith("{")
    if has_header and not text.endswith("\n") and not _is_json(lines[-1]):
        raise TraceError(
            f"torn: line {len(lines)} ends in its middle. Use the original, or run the"
            " check again"
        )
    head, *states = (_parsed(number, line) for number, line in enumerate(lines, 1))
    _require_whole(head, lines[1:])
    return head, states


def _is_json(line: str) -> bool:
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _require_whole(head: dict[str, Any], states: list[str]) -> None:
    schema = head.get("schema")
    if type(schema) is not int or "scenario" not in head:
        raise TraceError("line 1: not a trace, which begins with a header")
    if schema != SCHEMA:
        raise TraceError(
            f"line 1: a trace of schema {schema}; this replicheck reads schema"
            f" {SCHEMA}. Run the check again to get one"
        )
    announced = head.get("states")
    if not states or announced != len(states):
        raise TraceError(f"torn: {len(states)} of {announced} states are there")
    if head.get("digest") != digest_of(head, states):
        raise TraceError(
            "edited: it is not what its digest says. Use the original, or run the"
            " check again"
        )


def digest_of(head: dict[str, Any], states: list[str]) -> str:
    """The digest of a header, less its own digest, and of the lines of states."""
    described = {name: value for name, value in head.items() if name != "digest"}
    text = "\n".join([_line(described), *states])
    return sha256(text.encode()).hex()[:DIGEST_LENGTH]


def observations_in(
    entries: Sequence[Mapping[str, Any]],
) -> tuple[tuple[str, ...], ...] | None:
    """What was observed of each step, or None if the lines do not say so.

    Raises:
        ValueError: if some lines say so and others do not, or one says no texts.
    """
    told = [entry["observations"] for entry in entries[1:] if "observations" in entry]
    if not told:
        return None
    if len(told) != len(entries) - 1:
        raise ValueError("some states have observations, and others have none")
    for texts in told:
        if not isinstance(texts, list) or not all(isinstance(x, str) for x in texts):
            raise ValueError(f"observations is {texts!r}, expected a list of texts")
        if any(map(has_control_character, texts)):
            raise ValueError("observations has a control character")
    return tuple(map(tuple, told))


def _line(entry: dict[str, Any]) -> str:
    return json.dumps(entry, separators=(",", ":"))


def _parsed(number: int, line: str) -> dict[str, Any]:
    try:
        entry = parse_json(line)
    except ValueError as error:
        raise TraceError(f"line {number}: no JSON: {error}") from error
    if not isinstance(entry, dict):
        raise TraceError(f"line {number}: no JSON object")
    return entry
