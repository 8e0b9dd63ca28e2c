"""Files that are on the disk whole or not at all, each known by its checksum."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import frozen

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.digest import Content, digest

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
PART = ".part"
"""How the names of files end that are being written."""


@frozen
class StoredFile:
    """A file by its name in a folder, its length and its checksum."""

    name: str
    size: int
    checksum: str


def store(folder: Path, name: str, content: Content) -> StoredFile:
    """Write a file beside its place, then rename it; return what `fetch` needs.

    The content is on the disk then, the name after the next `sync_folder`. Only the
    user can read the file. No other user can foresee the name beside its place; what
    is there of that name already, a link included, is left alone.

    Raises:
        OSError: if the disk is full, or the folder cannot be written.
    """
    beside = folder / f"{name}.{random_name()}{PART}"
    try:
        with os.fdopen(os.open(beside, NEW_FILE, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / name)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    return StoredFile(name, len(content), digest(content))


def random_name() -> str:
    """Part of a name that no other user can foresee."""
    return os.urandom(8).hex()


def fetch(folder: Path, stored: StoredFile) -> bytearray:
    """The content of a file, if it is as it was written.

    Raises:
        CheckpointError: if it is not.
    """
    path = folder / stored.name
    try:
        content = bytearray(path.stat().st_size)
        with path.open("rb") as file:
            file.readinto(content)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) != stored.size:
        raise CheckpointError(
            f"{path} has {len(content):,} bytes, expected {stored.size:,}"
        )
    found = digest(content)
    if found != stored.checksum:
        raise CheckpointError(
            f"{path} has the checksum {found}, expected {stored.checksum}"
        )
    return content


def write_atomically(path: Path, text: str) -> None:
    """Write a text for other users, too: a file that is never there in part.

    Raises:
        OSError: if the folder cannot be written; its ``filename`` is the path.
    """
    with _errors_about(path):
        if path.exists() and not path.is_file():
            # A device or a pipe is written to; a file in its place would replace it.
            with path.open("w", encoding="utf-8") as file:
                file.write(text)
            return
        with _written_beside(path, text) as beside:
            beside.replace(path)


def write_new(path: Path, text: str) -> None:
    """Write a text likewise, but replace no file, even one that is being written.

    Raises:
        FileExistsError: if there is a file.
        OSError: if the folder cannot be written; its ``filename`` is the path.
    """
    with _errors_about(path), _written_beside(path, text) as beside:
        os.link(beside, path)


@contextmanager
def _errors_about(path: Path) -> Iterator[None]:
    """Have errors name a path."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def _written_beside(path: Path, text: str) -> Iterator[Path]:
    """A file with the text beside a path, on the disk; in the end it is gone."""
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name}.", suffix=".part"
    )
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is private; what it becomes has the usual permissions.
        beside.chmod(0o666 & ~_umask())
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where a system can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
