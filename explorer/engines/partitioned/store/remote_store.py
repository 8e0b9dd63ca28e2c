"""A store behind a URI: S3, HDFS, Google Cloud, whatever `pyarrow.fs` knows."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit
from uuid import uuid4

from pyarrow import fs

from replicheck.explorer.engines.partitioned.store.store import (
    Buffers,
    Piece,
    checked,
    missing,
)
from replicheck.explorer.errors import CheckpointError

WITHOUT_FOLDERS = frozenset({"s3", "gcs", "abfs"})
"""Object stores: a name appears with its whole content, and needs no folder."""


class RemoteStore:
    """A directory of a file system, or a prefix of an object store.

    What a file system says it has written counts as lasting.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        parts = urlsplit(uri)
        host = parts.netloc.rpartition("@")[2]
        self.place = f"{parts.scheme}://{host}{parts.path}"
        try:
            self._files, self._root = fs.FileSystem.from_uri(uri)
        except (ValueError, OSError) as error:
            reason = str(error).replace(uri, self.place)
            raise CheckpointError(
                f"there is no store at {self.place}: {reason}"
            ) from error
        self._has_folders = self._files.type_name not in WITHOUT_FOLDERS

    def write(self, name: str, content: Buffers) -> None:
        """Write a file that is to last. See `Store.write`."""
        self.write_scratch(name, content)

    def write_scratch(self, name: str, content: Buffers) -> None:
        """Write a file. See `Store.write_scratch`."""
        with self._files.open_output_stream(self._place(name)) as file:
            for piece in content:
                file.write(piece)

    def read(self, piece: Piece) -> memoryview:
        """A stretch of a file. See `Store.read`."""
        where = f"{self.place}/{piece.name}"
        try:
            with self._files.open_input_file(f"{self._root}/{piece.name}") as file:
                content = bytearray(file.read_at(piece.size, piece.offset))
        except OSError as error:
            raise missing(where, error) from error
        return checked(memoryview(content), piece, where)

    def put(self, name: str, content: bytes) -> None:
        """Write a file that is there whole or not at all. See `Store.put`."""
        if not self._has_folders:
            self.write_scratch(name, [content])
            return
        beside = f"{name}.{uuid4().hex[:12]}"
        self.write_scratch(beside, [content])
        self._files.move(f"{self._root}/{beside}", self._place(name))

    def get(self, name: str) -> bytes | None:
        """The content of a file, or None if there is none."""
        try:
            with self._files.open_input_stream(f"{self._root}/{name}") as file:
                content: bytes = file.read()
        except FileNotFoundError:
            return None
        return content

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, none if there is no such."""
        place = fs.FileSelector(f"{self._root}/{folder}", allow_not_found=True)
        return [
            f"{folder}/{file.base_name}"
            for file in self._files.get_file_info(place)
            if file.type == fs.FileType.File
        ]

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, if they are there."""
        for name in names:
            try:
                self._files.delete_file(f"{self._root}/{name}")
            except FileNotFoundError:
                continue

    def clear(self) -> None:
        """Remove everything."""
        if self._files.get_file_info(self._root).type == fs.FileType.Directory:
            self._files.delete_dir(self._root)

    def _place(self, name: str) -> str:
        path = f"{self._root}/{name}"
        if self._has_folders:
            self._files.create_dir(path.rpartition("/")[0], recursive=True)
        return path
