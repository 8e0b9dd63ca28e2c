"""The file of a broadcast comes back the same, and can call nothing of its own."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest

from replicheck.explorer.engines.partitioned.exchange.known_file import (
    KnownFile,
    read_known_file,
)
from replicheck.explorer.engines.partitioned.exchange.learned_paths import (
    LearnedPath,
    LearnedStep,
    SharedPath,
)
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.proxies.calls import AFTER, UNCHANGED_BY
from replicheck.explorer.tables.sequences.prefix_table import PrefixTable
from sequences.tracks import Track

APPEND = ("append", (1,))


def file(call: Any = APPEND, answer: Any = True, operation: Any = APPEND) -> KnownFile:
    """A file with one path that makes these calls."""
    step = LearnedStep(0, 0, ((0, 5),), ((1, (operation,)),))
    path = LearnedPath(3, (), frozenset({0, 1}), (step,))
    shared = SharedPath(path, (0, 1), {"worker": 7})
    return KnownFile(((1, True), ()), [(0, call, answer), (1, call, 0)], [shared], 1)


def again(written: KnownFile) -> KnownFile:
    """The file as another process reads it."""
    return read_known_file(memoryview(written.content), "level-00001/known")


@pytest.mark.parametrize(
    "call",
    [
        ("", ()),
        ("size", ()),
        ("__eq__", (None,)),
        (UNCHANGED_BY, (APPEND,)),
        (AFTER, ((APPEND,), ("size", ()))),
    ],
)
@pytest.mark.parametrize("answer", [False, 0, (), None, int])
def test_it_comes_back_the_same(call: Any, answer: Any) -> None:
    """Values, reads and paths, each with its type."""
    written = file(call, answer)
    found = again(written)
    assert repr(found) == repr(written)


@pytest.mark.parametrize(
    "call",
    [
        ("__getattribute__", ("__class__",)),
        ("__class__", ()),
        ("__call__", ()),
        ("__subclasses__", ()),
        ("__reduce_ex__", (2,)),
        (UNCHANGED_BY, (("__class__", ()),)),
        (AFTER, ((("__class__", ()),), ("size", ()))),
        (AFTER, ((), ("__class__", ()))),
        (1, ()),
        ("size",),
    ],
)
def test_a_call_that_leads_out_of_the_values(call: Any) -> None:
    """No model makes it on a cell, so it is refused before anything is learned."""
    for bad in (file(call=call), file(operation=call)):
        with pytest.raises(CheckpointError, match="level-00001/known holds no"):
            again(bad)


@pytest.mark.parametrize("value", [subprocess.Popen, print, [1]])
def test_what_cannot_be_sent(value: Any) -> None:
    """It is said what it is; no path is left out, for every worker needs them all."""
    with pytest.raises(ModelError, match="has no record; search it with the engine"):
        _ = file(answer=value).content


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\x80\x04."])
def test_another_file(content: bytes) -> None:
    """A pickle among them is no broadcast."""
    with pytest.raises(CheckpointError):
        read_known_file(memoryview(content), "known")


def test_a_path_that_is_none() -> None:
    """Where a path is expected, another value is refused."""
    body = json.loads(file().content)
    body["paths"][0][0] = 0
    content = json.dumps(body).encode()
    with pytest.raises(CheckpointError, match="is no learned path"):
        read_known_file(memoryview(content), "known")


def tracks_file(before: list[int]) -> KnownFile:
    """A file with the values of two tracks, whose first elements are the same."""
    table = PrefixTable(
        field="marks",
        starts=(Track("a"), Track("b")),
        elements=(5, 6),
        before=np.array(before, np.int32),
        lasts=np.array([0, 0, 1], np.int32),
        values=np.array([4, 1, 3], np.int32),
    )
    return KnownFile((table,), [], [], 1)


def test_values_with_sequences_come_back_the_same() -> None:
    """In their order; a prefix is written once."""
    (table,) = again(tracks_file([0, 1, 2])).values
    assert isinstance(table, PrefixTable)
    found = [table.value(place) for place in range(len(table))]
    assert found == [Track("a", (5, 6)), Track("b"), Track("b", (5,))]


def test_a_row_of_values_that_is_too_large() -> None:
    """A number that no row can have is refused as another file is."""
    body = json.loads(tracks_file([0, 1, 2]).content)
    body["values"][0]["before"][0] = 1 << 40
    with pytest.raises(CheckpointError, match="holds no broadcast of replicheck"):
        read_known_file(memoryview(json.dumps(body).encode()), "known")


def test_a_row_of_values_that_comes_later() -> None:
    """A file whose prefixes go round in a circle is refused."""
    with pytest.raises(CheckpointError, match="a row of values is no row before it"):
        again(tracks_file([0, 1, 4]))


@pytest.mark.parametrize("part", ["field", "starts", "elements", "before", "values"])
def test_a_part_of_values_that_is_missing(part: str) -> None:
    """Each is needed."""
    body = json.loads(tracks_file([0, 1, 2]).content)
    del body["values"][0][part]
    with pytest.raises(CheckpointError, match="holds no broadcast of replicheck"):
        read_known_file(memoryview(json.dumps(body).encode()), "known")
