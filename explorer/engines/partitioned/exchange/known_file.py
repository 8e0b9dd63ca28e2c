"""The file of a broadcast: numbered values and learned paths, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from replicheck.explorer.engines.partitioned.exchange.element_numbering import (
    NewElements,
)
from replicheck.explorer.engines.partitioned.exchange.learned_paths import (
    LearnedPath,
    Read,
    SharedPath,
)
from replicheck.explorer.engines.partitioned.exchange.value_numbering import Values
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.proxies.calls import (
    AFTER,
    SLICE,
    UNCHANGED_BY,
    WITH_PARTS,
    Call,
    Derived,
    Keywords,
    given,
)
from replicheck.explorer.proxies.cell_proxy import SPECIAL
from replicheck.explorer.proxies.set_proxy import MEMBERS
from replicheck.explorer.runtime.value_records import (
    RecordError,
    ValueReader,
    ValueWriter,
)
from replicheck.explorer.tables.sequences.prefix_table import PrefixTable, SentValues

DAMAGED = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""What comes of a file that holds something else than was written."""


RECORDED = frozenset(
    {
        *(SPECIAL.keys() - {"__call__"}),
        *(*MEMBERS, SLICE),
        *("__eq__", "__ne__", "__bool__", "__len__", "__iter__"),
        *("__contains__", "__getitem__", "__hash__"),
    }
)
"""The special methods of a cell that a function of a model can have read."""


@frozen
class KnownFile:
    """What became known to all with a level, while the one before was expanded.

    ``elements`` are new ones of each split set, in the order of their places, which no
    state before that level has.

    Every path must become known to all. Who inherits from another worker's state that
    an instance is disabled must know all that the instance has read there.
    """

    values: Values
    reads: Sequence[Read]
    paths: Sequence[SharedPath]
    level: int
    elements: NewElements = ()

    @property
    def content(self) -> bytes:
        """The file.

        Raises:
            ModelError: if a value or an answer is of a class that has no record.
        """
        writer = ValueWriter()
        try:
            values = [_values_record(writer, of_family) for of_family in self.values]
            reads = writer.add_all(self.reads)
            paths = [
                [
                    writer.add(shared.path),
                    [reads[place] for place in shared.indices],
                    shared.learned_by,
                ]
                for shared in self.paths
            ]
            elements = [writer.add_all(of_set) for of_set in self.elements]
        except RecordError as error:
            raise ModelError(
                f"what the model holds or answers cannot be sent to other workers:"
                f" {error}; search it with the engine breadth-first"
            ) from error
        body = {"values": values, "paths": paths, "elements": elements}
        return json.dumps({**body, "level": self.level, **writer.as_json}).encode()


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
                tuple(reads.setdefault(place, len(reads)) for place in indices),
                dict(learned_by),
            )
            for path, indices, learned_by in body["paths"]
        ]
        asked = [call for _, call, _ in reader.at_all(reads)]
        written = [call for shared in paths for call in _operations(shared.path)]
        relied = [call for shared in paths for _, call in shared.path.relied]
        _require_calls([*asked, *written, *relied])
        values = tuple(_values(reader, record) for record in body["values"])
        elements = tuple(tuple(reader.at_all(of_set)) for of_set in body["elements"])
        level = int(body["level"])
        return KnownFile(values, reader.at_all(reads), paths, level, elements)
    except DAMAGED as error:
        raise CheckpointError(
            f"{where} holds no broadcast of replicheck: {error}; start again"
        ) from error


def _values_record(writer: ValueWriter, values: SentValues) -> Any:
    """The record of the values of one dictionary."""
    if isinstance(values, tuple):
        return writer.add_all(values)
    return {
        "field": values.field,
        "starts": writer.add_all(values.starts),
        "elements": writer.add_all(values.elements),
        "before": values.before.tolist(),
        "lasts": values.lasts.tolist(),
        "values": values.values.tolist(),
    }


def _values(reader: ValueReader, record: Any) -> SentValues:
    """The values of one dictionary."""
    if isinstance(record, list):
        return tuple(reader.at_all(record))
    table = PrefixTable(
        record["field"],
        tuple(reader.at_all(record["starts"])),
        tuple(reader.at_all(record["elements"])),
        np.array(record["before"], np.int32),
        np.array(record["lasts"], np.int32),
        np.array(record["values"], np.int32),
    )
    table.require_sound()
    return table


def _path(value: Any) -> LearnedPath:
    if not isinstance(value, LearnedPath):
        raise RecordError(f"{value!r} is no learned path")
    return value


def _operations(path: LearnedPath) -> Iterator[Call]:
    for step in path.leaf if isinstance(path.leaf, tuple) else ():
        for _, calls in step.operations:
            yield from calls


def _calls_within(arguments: Iterable[Any]) -> Iterator[Call]:
    """The calls of the arguments that come of parts of a value."""
    for argument in arguments:
        if isinstance(argument, Keywords):
            yield from _calls_within(part for _, part in argument.items)
        elif isinstance(argument, Derived):
            yield from argument.calls


def _require_calls(calls: Iterable[Call]) -> None:
    """Refuse calls that no function of a model can have made on a cell.

    Raises:
        RecordError: if one is of a special method that leads out of the values.
    """
    for name, arguments in calls:
        if name == UNCHANGED_BY:
            _require_calls(arguments)
        elif name == AFTER:
            operations, asked = arguments
            _require_calls([*operations, asked])
        elif name == WITH_PARTS:
            method, *others = given(arguments)
            _require_calls([(method, ()), *_calls_within(others)])
        elif not isinstance(name, str) or (
            name.startswith("__") and name not in RECORDED
        ):
            raise RecordError(f"no model calls {name!r}")
