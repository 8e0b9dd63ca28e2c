"""Folder lock: a folder of files is used by one process at a time.

The lock is held on a file in the folder, and ends with the process that holds it,
whatever ends that. A folder that is empty in the end is removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.private_files import make_private_folder

LOCK = "lock"
NO_LOCK = frozenset({errno.EISDIR, errno.ELOOP, errno.ENOENT, errno.ENXIO})
"""What is said of a folder, a link, or a pipe in place of the file."""
OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FolderLock:
    """The lock of one folder, which this process may hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._handle: int | None = None

    def __enter__(self) -> Self:
        """Hold the lock."""
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Release it."""
        self.release()

    @property
    def is_held(self) -> bool:
        """Tell whether this process holds it."""
        return self._handle is not None

    def acquire(self) -> None:
        """Make the folder, if there is none, and hold its lock.

        Raises:
            CheckpointError: if another process does.
            OSError: if the folder cannot be written.
        """
        while self._handle is None:
            make_private_folder(self.folder)
            handle = self._open()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise CheckpointError(
                    f"{self.folder} is used by another process, which goes on; wait for"
                    " it, end it, or name another folder"
                ) from None
            if self._is_file(handle):
                self._handle = handle
            else:
                # Who held it before has removed it in between.
                os.close(handle)

    def release(self) -> None:
        """Let other processes have the folder."""
        if self._handle is None:
            return
        with suppress(OSError):
            (self.folder / LOCK).unlink(missing_ok=True)
            # Only an empty folder can be removed.
            self.folder.rmdir()
        os.close(self._handle)
        self._handle = None

    def _open(self) -> int:
        path = self.folder / LOCK
        try:
            return os.open(path, OPEN, 0o600)
        except OSError as error:
            if error.errno not in NO_LOCK:
                raise
            raise CheckpointError(f"{path} is no lock: {error.strerror}") from error

    def _is_file(self, handle: int) -> bool:
        """Tell whether an open file is still the one of that name."""
        try:
            found = (self.folder / LOCK).lstat()
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(handle))
