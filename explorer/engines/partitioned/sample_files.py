"""Sample files: the states in which guards are counted, kept with each level."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    ValueNumbering,
)
from replicheck.explorer.engines.partitioned.store.blocks import packed, unpacked
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    Store,
    folder_of,
)
from replicheck.explorer.search.guard_coverage import Sample, SampleContent


def write_sample(
    store: Store, numbering: ValueNumbering, level: int, sample: Sample
) -> Piece | None:
    """Write the sample of all levels before one; None if there is none yet.

    Raises:
        OSError: if the store cannot be written.
    """
    rows, fingerprints = sample.content
    if rows is None:
        return None
    sample_file = PieceFile(folder_of(level), "sample")
    piece = sample_file.add(packed((numbering.to_global(rows), fingerprints)))
    store.write(sample_file.name, sample_file.content)
    return piece


def read_sample(
    store: Store, numbering: ValueNumbering, piece: Piece | None
) -> SampleContent:
    """The content of a sample file; that of an empty sample if there is none.

    Raises:
        CheckpointError: if the file is not as it was written.
    """
    if piece is None:
        return Sample().content
    rows, fingerprints = unpacked(store.read(piece), piece.name)
    return numbering.to_local(rows, np.int64), fingerprints
