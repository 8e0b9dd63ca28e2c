"""The runs of a bucket: all its fingerprints, in few files however many the levels.

So merging looks a candidate up in few runs, and writes no fingerprint often.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.partitioned.exchange.messages import (
    Bucket,
    Merge,
    SortedRun,
    Source,
)
from replicheck.explorer.engines.partitioned.store.blocks import Block, packed, unpacked
from replicheck.explorer.engines.partitioned.store.store import LocalStore, PieceFile
from replicheck.explorer.engines.partitioned.worker.merge import Merger
from replicheck.explorer.native.kernels.arrays import U64Array

SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that its multiples are as many different words as there are factors."""


NO_FIELD = np.zeros(0, np.int64)


def merged(
    store: LocalStore, level: int, fingerprints: U64Array, runs: Sequence[SortedRun]
) -> Sequence[SortedRun]:
    """Merge what was found for a bucket; return its runs."""
    count = len(fingerprints)
    nothing = np.zeros(count, np.uint64)
    block = Block(
        nothing.reshape(-1, 1),
        fingerprints,
        np.empty((count, 0), np.uint64),
        nothing.reshape(-1, 1),
        nothing,
        np.zeros(count, np.uint32),
    )
    piece_file = PieceFile("found", str(level))
    source = Source(piece_file.add(packed((NO_FIELD, *block))), (), ())
    store.write_scratch(piece_file.name, piece_file.content)
    bucket = Bucket(0, [source], runs)
    merger = Merger(
        store,
        Merge(level, [bucket], NO_FIELD, np.zeros(1, np.int32)),
        np.zeros(0, np.int64),
    )
    found, _ = merger.merged(bucket)
    merger.write()
    return found.runs


def content(store: LocalStore, run: SortedRun) -> U64Array:
    """The fingerprints of a run."""
    fingerprints: U64Array = unpacked(store.read(run.piece), run.piece.name)[0]
    return fingerprints


@given(st.lists(st.integers(1, 40) | st.integers(1, 2000), min_size=1, max_size=30))
def test_few_runs_hold_every_fingerprint_once(sizes: list[int]) -> None:
    """Whatever the sizes of the levels, and though half of what is found is known."""
    known = np.empty(0, np.uint64)
    runs: Sequence[SortedRun] = ()
    with TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        for level, size in enumerate(sizes):
            first = len(known)
            new = np.arange(first, first + size, dtype=np.uint64) * SCATTER
            known = np.concatenate([known, new])
            runs = merged(store, level, np.sort(known[first // 2 :]), runs)
            held = [content(store, run) for run in runs]
            assert all(
                (np.diff(fingerprints.astype(object)) > 0).all()
                for fingerprints in held
            )
            assert sorted(np.concatenate(held)) == sorted(known)
            assert [len(fingerprints) for fingerprints in held] == [
                run.count for run in runs
            ]
            assert len(runs) <= 4 + 3 * log2(len(known))
