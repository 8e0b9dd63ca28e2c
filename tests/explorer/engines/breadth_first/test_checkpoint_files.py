"""The files of a checkpoint: damaged, of another search, or of another model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import toys
from replicheck.explorer.engine import CheckpointSettings
from replicheck.explorer.engines.breadth_first.checkpoint import SEAL
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace
from replicheck.model.replication.protocols import KIP_320, replication_model
from searches.interrupted_searches import MODEL, SEARCH, engine, killed, resumed
from searches.replication_searches import (
    ONE_RECORD,
    PROPERTIES,
    truncating_to_high_watermark,
)


@pytest.mark.parametrize(
    "name", ["fingerprints", "parents", "steps", "rows-", "fingerprints-", "numbers-"]
)
@pytest.mark.parametrize("damage", ["cut off", "changed", "missing"])
def test_a_damaged_file(tmp_path: Path, name: str, damage: str) -> None:
    """A file that is not as it was written is named."""
    killed(tmp_path, 12)
    (file,) = [
        path
        for path in tmp_path.iterdir()
        if path.name == name or (name[-1] == "-" and path.name.startswith(name))
    ]
    content = bytearray(file.read_bytes())
    content[3] ^= 1
    if damage == "cut off":
        file.write_bytes(content[:-8])
    elif damage == "changed":
        file.write_bytes(content)
    else:
        file.unlink()
    with pytest.raises(CheckpointError, match=f"damaged: .*{file.name} "):
        resumed(tmp_path)


def test_a_torn_manifest(tmp_path: Path) -> None:
    """Half a manifest is none."""
    killed(tmp_path, 12)
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    with pytest.raises(CheckpointError, match="torn, or not of a checkpoint"):
        resumed(tmp_path)


def test_a_manifest_of_something_else(tmp_path: Path) -> None:
    """A file of another program is not read any further."""
    (tmp_path / "manifest.json").write_text('{"files": {"numbers": 1}}', "utf-8")
    with pytest.raises(CheckpointError, match="torn, or not of a checkpoint"):
        resumed(tmp_path)


def test_a_changed_manifest(tmp_path: Path) -> None:
    """A manifest has a checksum of its own."""
    killed(tmp_path, 12)
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text("utf-8").replace('"generated": [', '"generated": [1,')
    manifest.write_text(text, "utf-8")
    with pytest.raises(CheckpointError, match="was changed after it was written"):
        resumed(tmp_path)


def test_another_schema(tmp_path: Path) -> None:
    """A checkpoint of another version says which version wants what."""
    killed(tmp_path, 12)
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text("utf-8")
    text = text.replace(f'"schema": {SEAL.schema}', '"schema": 4')
    manifest.write_text(text, "utf-8")
    with pytest.raises(CheckpointError, match=f"the schema 4, expected {SEAL.schema}"):
        resumed(tmp_path)


@pytest.mark.parametrize(
    ("model", "properties", "difference"),
    [
        (replication_model(KIP_320, ONE_RECORD), PROPERTIES, "actions and properties"),
        (
            truncating_to_high_watermark(evolve(ONE_RECORD, records=2)),
            PROPERTIES,
            "model",
        ),
        (MODEL, PROPERTIES[:-1], "actions and properties"),
        (toys.counter(), (), "model"),
    ],
    ids=["protocol", "bounds", "properties", "model"],
)
def test_another_model(
    tmp_path: Path, model: Any, properties: tuple[Property, ...], difference: str
) -> None:
    """A checkpoint of another model is refused, and what differs is named."""
    killed(tmp_path, 12)
    with pytest.raises(
        CheckpointError, match=f"another model: its {difference} differ"
    ):
        engine(tmp_path).resume(model, properties, SEARCH)


def test_another_search(tmp_path: Path) -> None:
    """The recipe that the caller gave must be the same."""
    killed(tmp_path, 12)
    other = BreadthFirst(keep=CheckpointSettings(tmp_path, recipe={"what": "another"}))
    with pytest.raises(CheckpointError, match="what is a test, expected another"):
        other.resume(MODEL, PROPERTIES, SEARCH)


def test_code_that_leads_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs to some states of the checkpoint are repeated and must lead to them."""
    killed(tmp_path, 12)
    monkeypatch.setattr(
        "replicheck.explorer.search.parent_pointers.ParentPointers.trace",
        lambda path, learner, depth, place: Trace(next(iter(MODEL.initial_states()))),
    )
    with pytest.raises(CheckpointError, match="now leads elsewhere"):
        resumed(tmp_path)


def test_another_folder_than_ours_keeps_its_files(tmp_path: Path) -> None:
    """Only the files of a checkpoint are ever removed."""
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    engine(tmp_path).explore(MODEL, PROPERTIES, SEARCH)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
