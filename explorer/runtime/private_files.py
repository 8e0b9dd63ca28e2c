"""Private files: those that only the user and root can have written.

What is executed or believed is read from such files alone. A file is opened without
following a link, and judged when it is open, so it cannot be exchanged in between.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import BinaryIO

OTHERS_WRITE, GROUP_WRITES = stat.S_IWOTH, stat.S_IWGRP
ROOT = 0


class NotPrivate(OSError):
    """Another user can have written a file or a folder; the message says why."""


def make_private_folder(folder: Path) -> None:
    """Make a folder, if there is none, that only the user can enter.

    Raises:
        NotPrivate: if there is one that another user can write.
        OSError: if it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_private_folder(folder)


def require_private_folder(folder: Path) -> None:
    """Refuse a folder that another user can write.

    Raises:
        NotPrivate: if another user can.
        OSError: if there is no such folder.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _require_private(folder, os.fstat(handle))
    finally:
        os.close(handle)


def is_private_file(path: Path) -> bool:
    """Tell whether there is a file of the user or root, in a folder that is theirs."""
    try:
        require_private_file(path)
    except OSError:
        return False
    return True


def require_private_file(path: Path) -> None:
    """Refuse a file that another user can have written.

    No other user can exchange it afterwards, or write its folder.

    Raises:
        NotPrivate: if another user can, or it is no regular file.
        OSError: if it cannot be read.
    """
    _open_private(path).close()


def read_private(path: Path) -> bytes:
    """Read a file that belongs to the user or to root, in a folder that does.

    Raises:
        NotPrivate: if another user can have written it, or it is no regular file.
        OSError: if it cannot be read.
    """
    with _open_private(path) as file:
        return file.read()


def _open_private(path: Path) -> BinaryIO:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _require_private(path.parent, os.fstat(folder))
        # Without O_NONBLOCK a pipe of that name would keep us waiting.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        file = os.fdopen(os.open(path.name, flags, dir_fd=folder), "rb")
    finally:
        os.close(folder)
    try:
        known = os.fstat(file.fileno())
        if not stat.S_ISREG(known.st_mode):
            raise NotPrivate(f"{path} is no regular file")
        _require_private(path, known)
    except OSError:
        file.close()
        raise
    return file


def _require_private(path: Path, known: os.stat_result) -> None:
    if known.st_uid not in (os.geteuid(), ROOT):
        raise NotPrivate(
            f"{path} belongs to the user {_user(known.st_uid)}: only what is yours or"
            " root's is trusted; take a copy of it, or name another place"
        )
    if known.st_mode & OTHERS_WRITE or (
        known.st_mode & GROUP_WRITES and not _is_own_group(known)
    ):
        raise NotPrivate(
            f"{path} can be written by other users: make it yours alone with"
            f" `chmod go-w {path}` if you trust what is in it, or name another place"
        )


def _is_own_group(known: os.stat_result) -> bool:
    """Tell whether the group of a file has its owner as the only member."""
    try:
        user, group = pwd.getpwuid(known.st_uid), grp.getgrgid(known.st_gid)
    except KeyError:
        return False
    is_named_alike = user.pw_gid == group.gr_gid and user.pw_name == group.gr_name
    return is_named_alike and set(group.gr_mem) <= {user.pw_name}


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
