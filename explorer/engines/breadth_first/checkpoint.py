"""Checkpoints: all that a later process needs to go on from the last complete level.

A checkpoint is a folder. Its ``manifest.json`` is written last and says which of the
other files belong to it, with their lengths and checksums:

* the journals of `archive`, as far as the manifest knows them;
* ``rows-…`` and ``prints-…``: the rows and the fingerprints of the states that are to
  be expanded next;
* ``numbers-…``: what the numbers in rows mean, the rows of the initial states, and the
  sample of `guards`.

So whatever a process leaves half-written is never part of a checkpoint. The learned
tables are not in it: they are learned again.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.engine import MANIFEST
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.learning.learner import Numbering
from replicheck.explorer.runtime.atomic_files import (
    StoredFile,
    fetch,
    store,
    sync_folder,
)
from replicheck.explorer.runtime.sealed_json import SealedJson
from replicheck.explorer.search.bookkeeping import SearchSnapshot
from replicheck.explorer.search.level_archive import TYPES, LevelArchive
from replicheck.explorer.search.property_status import Decision

SEAL = SealedJson("checkpoint", schema=5)
"""Its schema also counts changes of the other files, fingerprints included."""
NUMBERED_FILE = re.compile(r"(?:rows|prints|numbers)-(\d+)(?:\.part)?")


@frozen
class Checkpoint:
    """What a checkpoint holds beside the archive."""

    snapshot: SearchSnapshot
    starts: Sequence[tuple[int, ...]]
    numbering: Numbering
    rows: npt.NDArray[Any]
    prints: npt.NDArray[np.uint64]
    """The fingerprints of the rows."""
    sample: tuple[npt.NDArray[Any] | None, npt.NDArray[np.uint64]]
    """The rows and the fingerprints of the states in which guards are counted."""


def write(
    folder: Path,
    checkpoint: Checkpoint,
    archive: LevelArchive,
    digest: Mapping[str, str],
    recipe: Mapping[str, Any],
) -> None:
    """Write a checkpoint; until it is whole, the one before it stays valid.

    Args:
        archive: in the same folder.

    Raises:
        OSError: if the disk is full, or the folder cannot be written.
    """
    archive.sync()
    old = [each for each in folder.iterdir() if NUMBERED_FILE.fullmatch(each.name)]
    serial = 1 + max((_serial(each) for each in old), default=0)
    rows, numbering = checkpoint.rows, checkpoint.numbering
    starts = tuple(checkpoint.starts)
    meaning = starts, numbering.values, numbering.steps, checkpoint.sample
    files = {
        "rows": store(folder, f"rows-{serial}", _content(rows)),
        "prints": store(folder, f"prints-{serial}", _content(checkpoint.prints)),
        "numbers": store(folder, f"numbers-{serial}", pickle.dumps(meaning)),
    }
    body = {
        "model": dict(digest),
        "recipe": dict(recipe),
        "progressed": attrs.asdict(checkpoint.snapshot),
        "archive": archive.summary,
        "rows": [str(rows.dtype), *rows.shape],
        "files": {name: attrs.asdict(each) for name, each in files.items()},
    }
    sync_folder(folder)
    store(folder, MANIFEST, SEAL.close(body))
    sync_folder(folder)
    for path in old:
        path.unlink(missing_ok=True)


def read(
    folder: Path, digest: Mapping[str, str], recipe: Mapping[str, Any]
) -> tuple[Checkpoint, LevelArchive]:
    """Return the checkpoint in a folder, and its archive.

    Raises:
        CheckpointError: if there is none, or it is torn, of another schema, or of
            another model or search.
    """
    body = SEAL.open(folder / MANIFEST)
    where = f"the checkpoint in {folder}"
    was, wanted = body["recipe"], json.loads(json.dumps(dict(recipe)))
    for name in dict.fromkeys([*was, *wanted]):
        if was.get(name) != wanted.get(name):
            raise CheckpointError(
                f"{where} is of another search: {name} is {was.get(name)}, expected"
                f" {wanted.get(name)}; go on with what it is of, or start again"
            )
    for what, known in digest.items():
        if body["model"].get(what) != known:
            raise CheckpointError(
                f"{where} is of another model: its {what} differ from those at hand;"
                " go on with the version that wrote it, or start again"
            )
    files = {name: StoredFile(**each) for name, each in body["files"].items()}
    try:
        contents = {name: fetch(folder, each) for name, each in files.items()}
        archive = LevelArchive.reopen(folder, body["archive"])
    except CheckpointError as error:
        raise CheckpointError(f"{where} is damaged: {error}; start again") from error
    starts, values, steps, sample = pickle.loads(contents["numbers"])
    dtype, *shape = body["rows"]
    snapshot = body["progressed"]
    decisions = [Decision(**each) for each in snapshot.pop("sightings")]
    checkpoint = Checkpoint(
        SearchSnapshot(**snapshot, decisions=decisions),
        starts,
        Numbering(values, steps),
        np.frombuffer(contents["rows"], dtype).reshape(shape),
        np.frombuffer(contents["prints"], np.uint64),
        sample,
    )
    return checkpoint, archive


def remove(folder: Path) -> None:
    """Remove the checkpoint in a folder, and the folder unless it holds other files."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name in TYPES or NUMBERED_FILE.fullmatch(path.name):
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _content(numbers: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(numbers).data.cast("B")


def _serial(path: Path) -> int:
    return int(path.name.partition("-")[2].partition(".")[0])
