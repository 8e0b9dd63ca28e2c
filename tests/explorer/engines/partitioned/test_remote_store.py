"""A store behind a URI: a file system or an object store keeps what was written.

The object store is a server on this machine that speaks S3.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import (
    MANIFEST,
    CheckpointSettings,
    Search,
    Stop,
    unwatched,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned import engine, task_split
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.store.store import Piece, PieceFile, Store
from replicheck.explorer.engines.partitioned.store.store_uri import at, below
from replicheck.explorer.errors import CheckpointError
from shipped import CATALOGUE

pytest.importorskip("pyarrow", reason="needs pip install 'replicheck[spark]'")

from pyarrow import fs

from replicheck.explorer.engines.partitioned.store.remote_store import RemoteStore

pytestmark = pytest.mark.slow

BOUNDS = {"brokers": 2, "log_size": 1, "records": 2, "max_leader_epoch": 2}
BUCKET = "searches"
STOPPED_AT = 6


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    """Have a server that has one empty bucket."""
    server = pytest.importorskip("moto.server", reason="needs pip install 'moto[s3]'")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        uri = f"s3://{BUCKET}?region=us-east-1&allow_bucket_creation=true"
        files, _ = fs.FileSystem.from_uri(uri)
        files.create_dir(BUCKET)
        yield
    running.stop()


@pytest.fixture(params=["file", "s3"])
def uri(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """URI where a search may have its files."""
    if request.param == "file":
        # Of this scheme the local store is in charge, which needs no pyarrow.
        monkeypatch.setattr(engine, "at", RemoteStore)
        return f"file://{tmp_path}/store"
    request.getfixturevalue("s3")
    return f"s3://{BUCKET}/{tmp_path.name}?region=us-east-1"


def stored(store: Store, content: bytes) -> Piece:
    """The second of two pieces of a file."""
    piece_file = PieceFile("level-00001", "states")
    piece_file.add([b"before"])
    piece = piece_file.add([content])
    store.write(piece_file.name, piece_file.content)
    return piece


def test_what_is_written_is_read(uri: str) -> None:
    """Files are written, listed, read in part, replaced whole, and removed."""
    store = RemoteStore(uri)
    piece = stored(store, b"some states")
    store.put("level-00001/manifest.json", b"one")
    store.put("level-00001/manifest.json", b"other")
    assert bytes(store.read(piece)) == b"some states"
    assert store.get("level-00001/manifest.json") == b"other"
    assert store.get("level-00002/manifest.json") is None
    assert sorted(store.names("level-00001")) == [
        "level-00001/manifest.json",
        piece.name,
    ]
    store.remove([piece.name, "level-00001/nothing"])
    assert store.names("level-00001") == ["level-00001/manifest.json"]
    store.clear()
    assert (store.names("level-00001"), store.names("level-00002")) == ([], [])
    store.clear()


def test_what_was_torn_or_changed_is_named(uri: str) -> None:
    """So is what is missing; the message has no key that was in the URI."""
    store = RemoteStore(uri)
    piece = stored(store, b"some states")
    store.remove([piece.name])
    store.write_scratch(piece.name, [b"before", b"other thing"])
    with pytest.raises(CheckpointError, match=f"{piece.name} has the checksum"):
        store.read(piece)
    store.remove([piece.name])
    store.write_scratch(piece.name, [b"before", b"some"])
    with pytest.raises(CheckpointError, match=f"{piece.name} is torn: 4 bytes"):
        store.read(piece)
    store.remove([piece.name])
    with pytest.raises(CheckpointError, match=f"{piece.name} cannot be read") as caught:
        store.read(piece)
    assert "region" not in str(caught.value)


@pytest.fixture(scope="module")
def task() -> Task:
    """A small search with violations."""
    choices = Overrides("breadth-first", "kip-101", BOUNDS, stop="decided")
    (found,) = tasks(CATALOGUE, ("replication",), choices)
    return found


def partitioned(folder: Path, uri: str) -> Partitioned:
    """An engine with its files in a store and its manifest in a folder."""
    keep = CheckpointSettings(folder, recipe={"search": "this one"})
    return Partitioned(buckets=2, cluster=in_process(2), keep=keep, store=uri, small=0)


def interrupted(task: Task, folder: Path, uri: str) -> Store:
    """Search some levels; return the store."""

    def watch(progress: Any) -> None:
        if progress.depth == STOPPED_AT:
            raise KeyboardInterrupt

    search = Search(stop=Stop.DECIDED, watch=watch)
    found = partitioned(folder, uri).explore(task.model, task.properties, search)
    assert found.cut == "interrupted"
    body = json.loads((folder / MANIFEST).read_text("utf-8"))["body"]
    return RemoteStore(body["store"])


def test_a_search_goes_on_and_leaves_nothing(
    task: Task, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted and resumed, its report is that of the local engine."""
    monkeypatch.setattr(task_split, "FEWEST_STATES", 50)
    store = interrupted(task, tmp_path / "search", uri)
    assert store.get(f"level-{STOPPED_AT - 1:05d}/{MANIFEST}")
    store.write_scratch(f"level-{STOPPED_AT:05d}/found-0", [b"left over"])
    search = task.search(unwatched)
    engine = partitioned(tmp_path / "search", uri)
    found = engine.resume(task.model, task.properties, search)
    local = BreadthFirst(threads=1)
    assert found == local.explore(task.model, task.properties, search)
    assert not any(store.names(f"level-{number:05d}") for number in range(found.depth))


@pytest.mark.parametrize("kind", ["states", MANIFEST])
def test_a_search_without_one_of_its_files(
    task: Task, uri: str, tmp_path: Path, kind: str
) -> None:
    """It is refused, and the file is named."""
    store = interrupted(task, tmp_path / "search", uri)
    folder = "level-00000" if kind == MANIFEST else f"level-{STOPPED_AT - 1:05d}"
    (name,) = [
        name for name in store.names(folder) if name.startswith(f"{folder}/{kind}")
    ]
    store.remove([name])
    engine = partitioned(tmp_path / "search", uri)
    with pytest.raises(CheckpointError, match=name):
        engine.resume(task.model, task.properties, task.search(unwatched))


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_is_not_there(task: Task, tmp_path: Path) -> None:
    """The message says what the server says."""
    engine = partitioned(tmp_path / "search", "s3://nowhere/store?region=us-east-1")
    with pytest.raises(CheckpointError, match=r"s3://nowhere/store.* cannot be used"):
        engine.explore(task.model, task.properties, task.search(unwatched))


def test_a_directory_below() -> None:
    """What a URI asks for stays behind its path."""
    assert below("/a/b", "c") == "/a/b/c"
    assert below("s3://a/b/?region=x", "c") == "s3://a/b/c?region=x"
    assert below("file:///a", "c") == "file:///a/c"


def test_nothing_knows_the_scheme() -> None:
    """A URI of an unknown kind is refused; keys in it are not repeated."""
    with pytest.raises(CheckpointError, match="no store at gopher://host/a") as caught:
        at("gopher://me:secret@host/a")
    assert "secret" not in str(caught.value)
