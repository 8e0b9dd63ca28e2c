"""The file of a broadcast: numbered values and learned paths, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.engines.partitioned.exchange.learned_paths import (
    LearnedPath,
    Read,
    SharedPath,
)
from replicheck.explorer.engines.partitioned.exchange.value_numbering import Values
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.runtime.value_records import (
    RecordError,
    ValueReader,
    ValueWriter,
)

DAMAGED = (LookupError, TypeError, ValueError, AttributeError)
"""What comes of a file that holds something else than was written."""


@frozen
class KnownFile:
    """What became known to all with one level."""

    values: Values
    reads: Sequence[Read]
    paths: Sequence[SharedPath]

    @property
    def content(self) -> bytes:
        """The file. A path with an answer that has no record is left out.

        Every worker learns such a path itself.

        Raises:
            ModelError: if a value is of a class that no other process could find.
        """
        writer = ValueWriter()
        try:
            values = [writer.add_all(each) for each in self.values]
        except RecordError as error:
            raise ModelError(f"a cell cannot be sent: {error}") from error
        reads = [_place(writer, read) for read in self.reads]
        paths = []
        for shared in self.paths:
            places = [reads[place] for place in shared.places]
            path = _place(writer, shared.path)
            if path is not None and None not in places:
                paths.append([path, places, shared.learned_by])
        return json.dumps({"values": values, "paths": paths, **writer.as_json}).encode()


def read_known_file(content: memoryview, where: str) -> KnownFile:
    """Read the file of a broadcast.

    Raises:
        CheckpointError: if it holds something else.
    """
    try:
        body = json.loads(bytes(content))
        reader = ValueReader(body)
        reads: dict[int, int] = {}
        paths = [
            SharedPath(
                _path(reader.at(path)),
                tuple(reads.setdefault(place, len(reads)) for place in places),
                dict(learned_by),
            )
            for path, places, learned_by in body["paths"]
        ]
        values = tuple(tuple(reader.at_all(places)) for places in body["values"])
        return KnownFile(values, reader.at_all(reads), paths)
    except DAMAGED as error:
        raise CheckpointError(
            f"{where} holds no broadcast of replicheck: {error}; start again"
        ) from error


def _path(value: Any) -> LearnedPath:
    if not isinstance(value, LearnedPath):
        raise RecordError(f"{value!r} is no learned path")
    return value


def _place(writer: ValueWriter, value: Any) -> int | None:
    try:
        return writer.add(value)
    except RecordError:
        return None
