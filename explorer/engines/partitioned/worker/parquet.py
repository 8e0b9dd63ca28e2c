"""The reachable states as Parquet, to be queried.

``states/level=N/`` has the states of level N: a column for each cell, which holds the
number of its value, and ``fingerprint``. ``dictionary.parquet`` says what the numbers
mean: ``family`` (the cell's field), ``number``, ``value`` (the value as text) and
``attributes``, a map from the names of the value's fields to their values as text.
``coverage.json`` says whether these are all reachable states: ``is_complete``, with how
many ``states`` and ``levels`` there are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import attrs

from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    ValueNumbering,
)
from replicheck.explorer.engines.partitioned.store.blocks import Array
from replicheck.explorer.engines.partitioned.store.store import fresh_name
from replicheck.explorer.engines.partitioned.store.store_uri import at
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.states.layout import Cell

DICTIONARY = "dictionary.parquet"
COVERAGE = "coverage.json"


class ParquetStates:
    """The files of the reachable states of one search."""

    def __init__(self, uri: str, cells: Sequence[Cell]) -> None:
        self._store, self._cells = at(uri), cells

    def begin(self) -> None:
        """Refuse a place that has states already.

        Raises:
            CheckpointError: if it has.
        """
        if self._store.get(DICTIONARY) or self._store.names(_folder(0)):
            raise CheckpointError(
                f"{self._store.place} already holds the states of a search; name"
                " another place, or remove it"
            )

    def write(
        self, level: int, bucket: int, rows: Array, fingerprints: U64Array
    ) -> str:
        """Write the states of one bucket; return the name of the file.

        Args:
            rows: in global numbers.

        Raises:
            OSError: if that is not possible.
        """
        import pyarrow as pa

        columns: dict[str, Any] = {
            str(cell): pa.array(rows[:, column])
            for column, cell in enumerate(self._cells)
        }
        columns["fingerprint"] = pa.array(fingerprints)
        name = f"{fresh_name(_folder(level), f'bucket-{bucket:05d}')}.parquet"
        self._store.write(name, [_content(pa.table(columns))])
        return name

    def keep(self, level: int, names: Collection[str]) -> None:
        """Remove all files of a level but these."""
        there = self._store.names(_folder(level))
        self._store.remove([name for name in there if name not in names])

    def end(
        self, numbering: ValueNumbering, levels: Sequence[int], is_complete: bool
    ) -> None:
        """Write the dictionary, and whether the states are all that can be reached.

        Raises:
            OSError: if that is not possible.
        """
        import pyarrow as pa

        rows = [
            (family, number, str(value), _attributes(value))
            for family, values in numbering.values
            for number, value in enumerate(values)
        ]
        names = ("family", "number", "value", "attributes")
        types = (
            pa.string(),
            pa.int64(),
            pa.string(),
            pa.map_(pa.string(), pa.string()),
        )
        arrays = [
            pa.array([row[place] for row in rows], kind)
            for place, kind in enumerate(types)
        ]
        self._store.put(DICTIONARY, _content(pa.table(arrays, names=names)))
        coverage = {
            "is_complete": is_complete,
            "states": sum(levels),
            "levels": len(levels),
        }
        self._store.put(COVERAGE, json.dumps(coverage).encode())


def _folder(level: int) -> str:
    return f"states/level={level:05d}"


def _content(table: Any) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    stream = pa.BufferOutputStream()
    parquet.write_table(table, stream, compression="zstd")
    return stream.getvalue().to_pybytes()


def _attributes(value: Any) -> list[tuple[str, str]]:
    """The fields of a value as text, none of a value without fields."""
    if not attrs.has(type(value)):
        return []
    return [
        (attribute.name, str(getattr(value, attribute.name)))
        for attribute in attrs.fields(type(value))
    ]
