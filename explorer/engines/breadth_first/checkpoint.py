"""Checkpoints: all that a later process needs to go on from the last complete level.

A checkpoint is a folder. Its ``manifest.json`` is written last and says which of the
other files belong to it, with their lengths and checksums:

* the journals of `level_archive`, as far as the manifest knows them;
* one file for each array: packed rows and fingerprints of the states that are to be
  expanded next, those of the sample of `guard_coverage`, and the states of the level
  before that violate an invariant;
* ``numbers-…``: JSON of what the numbers in rows mean, the rows of the initial states,
  and what each function reads and writes.

So whatever a process leaves half-written is never part of a checkpoint. Arrays and JSON
can run nothing. The learned tables are not in it: they are learned again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from attrs import asdict, frozen

from replicheck.explorer.engine import MANIFEST
from replicheck.explorer.engines.breadth_first.other_violations import OthersSnapshot
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.learning.learned_model import Numbering
from replicheck.explorer.native.kernels.arrays import PackedRows
from replicheck.explorer.runtime.atomic_files import (
    PART,
    StoredFile,
    fetch,
    store,
    sync_folder,
)
from replicheck.explorer.runtime.digest import Content
from replicheck.explorer.runtime.sealed_json import SealedJson
from replicheck.explorer.runtime.value_records import (
    RecordError,
    ValueReader,
    ValueWriter,
)
from replicheck.explorer.search.bookkeeping import SearchSnapshot
from replicheck.explorer.search.guard_coverage import SampleContent
from replicheck.explorer.search.level_archive import TYPES, LevelArchive
from replicheck.explorer.search.property_status import Decision
from replicheck.explorer.states.encoding import Encoding

SEAL = SealedJson("checkpoint", schema=12)
"""Its schema also counts changes of the other files, fingerprints included."""
NUMBERED_FILE = re.compile(rf"[a-z_]+-(\d+)|.*{re.escape(PART)}")
DAMAGED = (LookupError, TypeError, ValueError, AttributeError)
"""What comes of files that hold something else than was written."""

NO_WORDS = np.zeros(0, np.uint64)

Accesses = Sequence[tuple[Sequence[int], Sequence[int]]]
"""For each function the columns that it reads, and those that it writes."""


@frozen
class Checkpoint:
    """What a checkpoint holds beside the archive."""

    snapshot: SearchSnapshot
    starts: Sequence[tuple[int, ...]]
    numbering: Numbering
    rows: PackedRows
    fingerprints: npt.NDArray[np.uint64]
    """The fingerprints of the rows."""
    sample: SampleContent
    """The rows and the fingerprints of the states in which guards are counted."""
    others: OthersSnapshot
    accesses: Accesses

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays, by the names of their files."""
        rows, fingerprints = self.sample
        sample = (
            {}
            if rows is None
            else {"sample_rows": rows, "sample_fingerprints": fingerprints}
        )
        broken = [np.zeros(0, np.int64), *self.others.broken.values()]
        return {
            "rows": self.rows.words,
            "fingerprints": self.fingerprints,
            "broken": np.concatenate(broken).astype(np.int64),
            **sample,
        }

    @property
    def numbers(self) -> bytes:
        """What numbers mean, as JSON.

        Raises:
            ModelError: if a value is of a class that no other process could find.
        """
        writer, values = ValueWriter(), self.numbering.values.items()
        try:
            indices = {family: writer.add_all(known) for family, known in values}
        except RecordError as error:
            raise ModelError(f"a checkpoint cannot hold a cell: {error}") from error
        whole = {
            "starts": [[int(number) for number in row] for row in self.starts],
            "values": indices,
            "steps": self.numbering.steps,
            "encoding": asdict(self.numbering.encoding),
            "accesses": self.accesses,
            **writer.as_json,
        }
        return json.dumps(whole).encode()


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
    old = [path for path in folder.iterdir() if NUMBERED_FILE.fullmatch(path.name)]
    serial = 1 + max((_serial(path) for path in old), default=0)
    arrays, others = checkpoint.arrays, checkpoint.others
    contents: dict[str, Content] = {
        **{name: _content(array) for name, array in arrays.items()},
        "numbers": checkpoint.numbers,
    }
    files = {
        name: store(folder, f"{name}-{serial}", content)
        for name, content in contents.items()
    }
    body = {
        "model": dict(digest),
        "recipe": dict(recipe),
        "snapshot": attrs.asdict(checkpoint.snapshot),
        "archive": archive.summary,
        "fields": checkpoint.rows.fields.tolist(),
        "arrays": {name: [str(a.dtype), *a.shape] for name, a in arrays.items()},
        "others": [attrs.asdict(decision) for decision in others.decisions],
        "broken": {name: len(indices) for name, indices in others.broken.items()},
        "files": {name: attrs.asdict(stored) for name, stored in files.items()},
    }
    sync_folder(folder)
    store(folder, MANIFEST, SEAL.close(body))
    sync_folder(folder)
    for path in old:
        path.unlink(missing_ok=True)


def read(
    folder: Path, digest: Mapping[str, str], recipe: Mapping[str, Any]
) -> tuple[Checkpoint, LevelArchive]:
    """The checkpoint in a folder, and its archive.

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
    try:
        files = {name: StoredFile(**stored) for name, stored in body["files"].items()}
        contents = {name: fetch(folder, stored) for name, stored in files.items()}
        archive = LevelArchive.reopen(folder, body["archive"])
        return _checkpoint(body, contents), archive
    except CheckpointError as error:
        raise CheckpointError(f"{where} is damaged: {error}; start again") from error
    except DAMAGED as error:
        what = f"{type(error).__name__}: {error}"
        raise CheckpointError(f"{where} is damaged: {what}; start again") from error


def _checkpoint(body: Any, contents: Mapping[str, bytearray]) -> Checkpoint:
    """Decode the manifest and the files that it names."""
    arrays = {
        name: np.frombuffer(contents[name], dtype).reshape(shape)
        for name, (dtype, *shape) in body["arrays"].items()
    }
    numbers = json.loads(contents["numbers"])
    reader = ValueReader(numbers)
    values = {
        family: tuple(reader.at_all(indices))
        for family, indices in numbers["values"].items()
    }
    encoding = Encoding.of_json(numbers["encoding"])
    snapshot = body["snapshot"]
    decisions = [Decision(**decision) for decision in snapshot.pop("decisions")]
    ends = np.cumsum([*body["broken"].values()])[:-1]
    return Checkpoint(
        SearchSnapshot(**snapshot, decisions=decisions),
        [tuple(row) for row in numbers["starts"]],
        Numbering(values, tuple(map(tuple, numbers["steps"])), encoding),
        PackedRows(arrays["rows"], np.array(body["fields"], np.int64)),
        arrays["fingerprints"],
        (
            arrays.get("sample_rows"),
            arrays.get("sample_fingerprints", np.zeros(0, np.uint64)),
        ),
        OthersSnapshot(
            [Decision(**decision) for decision in body["others"]],
            dict(zip(body["broken"], np.split(arrays["broken"], ends), strict=False)),
        ),
        numbers["accesses"],
    )


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
    numbered = NUMBERED_FILE.fullmatch(path.name)
    return int(numbered[1] or 0) if numbered else 0
