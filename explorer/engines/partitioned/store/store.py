"""Stores: where the files of a search are, which everyone at work on it can reach.

Files are immutable: each is written once, under a name that no other attempt uses, and
counts only once a manifest names it. Data files are checked by length and by XXH3.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from attrs import frozen

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.atomic_files import store, sync_folder
from replicheck.explorer.runtime.digest import bulk_checksum

Buffers = Sequence[Any]
"""Pieces of a content, one after the other: what `memoryview` takes."""


@frozen
class Piece:
    """A stretch of a file, known by its checksum."""

    name: str
    offset: int
    size: int
    checksum: str


class Store(Protocol):
    """Files by name. A name has at most one folder: ``level-00007/prints-00002-…``."""

    @property
    def uri(self) -> str:
        """URI of the store, as `store_uri.at` takes it."""

    @property
    def place(self) -> str:
        """Location for people: the URI without any key in it."""

    def write(self, name: str, content: Buffers) -> None:
        """Write a file that is to last.

        Raises:
            OSError: if that is not possible.
        """

    def write_scratch(self, name: str, content: Buffers) -> None:
        """Write a file that need not survive a machine.

        Raises:
            OSError: if that is not possible.
        """

    def read(self, piece: Piece) -> memoryview:
        """A stretch of a file, if it is as it was written.

        Raises:
            CheckpointError: if it is not.
        """

    def put(self, name: str, content: bytes) -> None:
        """Write a file that is there whole or not at all, and lasts.

        Raises:
            OSError: if that is not possible.
        """

    def get(self, name: str) -> bytes | None:
        """The content of a file, or None if there is none."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, none if there is no such."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, if they are there."""

    def clear(self) -> None:
        """Remove everything."""


def fresh_name(folder: str, kind: str) -> str:
    """The name of a file that no other attempt writes."""
    return f"{folder}/{kind}-{uuid4().hex[:12]}"


def folder_of(level: int) -> str:
    """The folder of a level's files."""
    return f"level-{level:05d}"


def checked(content: memoryview, piece: Piece, where: str) -> memoryview:
    """The content of a stretch, if it is as it was written.

    Raises:
        CheckpointError: if it is not.
    """
    if len(content) != piece.size:
        raise CheckpointError(
            f"{where} is torn: {len(content):,} bytes from {piece.offset:,} on,"
            f" expected {piece.size:,}; start again"
        )
    found = bulk_checksum([content])
    if found != piece.checksum:
        raise CheckpointError(
            f"{where} has the checksum {found}, expected {piece.checksum}: it was"
            " changed after it was written; start again"
        )
    return content


def missing(where: str, reason: object) -> CheckpointError:
    """The error for a file that cannot be read."""
    return CheckpointError(
        f"{where} cannot be read: {reason}. Every worker must see the store under this"
        " name; if they do, the file is lost: start again"
    )


class PieceFile:
    """A file that is being put together; what it is made of must not change."""

    def __init__(self, folder: str, kind: str) -> None:
        """Begin a file in a folder under a name that no other attempt uses."""
        self.name = fresh_name(folder, kind)
        self.content: list[Any] = []
        self._size = 0

    def add(self, content: Buffers) -> Piece:
        """Append a piece; it counts once the file is written."""
        size = sum(memoryview(part).nbytes for part in content)
        piece = Piece(self.name, self._size, size, bulk_checksum(content))
        self.content += content
        self._size += size
        return piece


class LocalStore:
    """A directory."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    @property
    def uri(self) -> str:
        """Path of the directory."""
        return str(self.root)

    @property
    def place(self) -> str:
        """Path of the directory."""
        return str(self.root)

    def write(self, name: str, content: Buffers) -> None:
        """Write a file and wait until it is on the disk. See `Store.write`."""
        self._write(name, content, os.fsync)

    def write_scratch(self, name: str, content: Buffers) -> None:
        """Write a file. See `Store.write_scratch`."""
        self._write(name, content, lambda handle: None)

    def _write(self, name: str, content: Buffers, settle: Any) -> None:
        path = self._place(name)
        with path.open("xb") as file:
            for piece in content:
                file.write(piece)
            file.flush()
            settle(file.fileno())

    def read(self, piece: Piece) -> memoryview:
        """A stretch of a file. See `Store.read`."""
        path = self.root / piece.name
        # Unlike a bytearray it is not filled with zeros first.
        content = np.empty(piece.size, np.uint8).data
        try:
            with path.open("rb", buffering=0) as file:
                file.seek(piece.offset)
                filled = 0
                while count := file.readinto(content[filled:]):
                    filled += count
        except OSError as error:
            raise missing(str(path), error.strerror) from error
        return checked(content[:filled], piece, str(path))

    def put(self, name: str, content: bytes) -> None:
        """Write a file beside its place and rename it. See `Store.put`."""
        path = self._place(name)
        sync_folder(path.parent)
        store(path.parent, path.name, content)
        sync_folder(path.parent)
        sync_folder(self.root)

    def get(self, name: str) -> bytes | None:
        """The content of a file, or None if there is none."""
        try:
            return (self.root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, none if there is no such."""
        place = self.root / folder
        if not place.is_dir():
            return []
        return [f"{folder}/{path.name}" for path in place.iterdir()]

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, if they are there."""
        for name in names:
            (self.root / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _place(self, name: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
