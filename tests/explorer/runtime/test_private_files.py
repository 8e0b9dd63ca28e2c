"""What is executed or believed is read from private files alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replicheck.explorer.native import object_code
from replicheck.explorer.runtime.atomic_files import store
from replicheck.explorer.runtime.private_files import (
    NotPrivate,
    is_private_file,
    make_private_folder,
    read_private,
    require_private_folder,
)

CONTENT = b"content"
STRANGER = 54321


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of the user in a folder of the user."""
    folder = tmp_path / "folder"
    make_private_folder(folder)
    store(folder, "file", CONTENT)
    return folder / "file"


def give_to_a_stranger(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file seem to belong to another user than that of the tests."""
    fstat, inode = os.fstat, path.stat().st_ino

    def known(handle: int) -> os.stat_result:
        found = fstat(handle)
        if found.st_ino != inode:
            return found
        fields = [*found]
        fields[4] = STRANGER
        return os.stat_result(fields)

    monkeypatch.setattr("os.fstat", known)


def test_what_was_stored_is_private(file: Path) -> None:
    """Neither the group nor other users can write or read it."""
    assert read_private(file) == CONTENT
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o607])
def test_a_file_that_others_can_write(file: Path, mode: int) -> None:
    """It is refused, and the message says how to make it private."""
    file.chmod(mode)
    with pytest.raises(NotPrivate, match="chmod go-w"):
        read_private(file)
    assert not is_private_file(file)


def test_a_file_in_a_folder_that_others_can_write(file: Path) -> None:
    """A sticky folder, such as the temporary one, is no exception."""
    file.parent.chmod(0o1777)
    with pytest.raises(NotPrivate, match="written by other users"):
        read_private(file)
    with pytest.raises(NotPrivate):
        make_private_folder(file.parent)


@pytest.mark.parametrize("owned", ["file", "folder"])
def test_what_belongs_to_a_stranger(
    file: Path, owned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused by the name of its owner, as is all that is in it."""
    give_to_a_stranger(file if owned == "file" else file.parent, monkeypatch)
    with pytest.raises(NotPrivate, match=str(STRANGER)):
        read_private(file)


def test_a_link(file: Path) -> None:
    """No link is followed, wherever it leads."""
    link = file.with_name("link")
    link.symlink_to(file)
    with pytest.raises(OSError, match="link"):
        read_private(link)


def test_a_pipe(file: Path) -> None:
    """It is no file, and no process waits for what comes through it."""
    pipe = file.with_name("pipe")
    os.mkfifo(pipe)
    with pytest.raises(NotPrivate, match="no regular file"):
        read_private(pipe)


def test_a_link_in_place_of_a_new_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even with a foreseen name a new file is not written through a link."""
    monkeypatch.setattr(
        "replicheck.explorer.runtime.atomic_files.random_name", lambda: "known"
    )
    target = file.with_name("target")
    file.with_name("new.known.part").symlink_to(target)
    with pytest.raises(FileExistsError):
        store(file.parent, "new", CONTENT)
    assert not target.exists()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is chosen for kernels, and does not exist."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("REPLICHECK_KERNELS", str(folder))
    return folder


kernel_folder = object_code.cache_folder.__wrapped__
"""The folder of kernels, found anew by each call."""


def test_kernels_are_kept_in_a_private_folder(cache: Path) -> None:
    """It is made for the user alone."""
    assert kernel_folder() == cache
    assert cache.stat().st_mode & 0o077 == 0


def test_kernels_without_a_private_folder(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are compiled for this process, in a fresh folder, and the user is told."""
    cache.mkdir()
    cache.chmod(0o777)
    folders = {kernel_folder(), kernel_folder()}
    assert len(folders) == 2 and cache not in folders
    for folder in folders:
        require_private_folder(folder)
    said = capsys.readouterr().err
    assert "for this process alone" in said and f"chmod go-w {cache}" in said


def test_a_kernel_that_others_can_write(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not read, and the next one takes its place."""
    monkeypatch.setattr(object_code, "cache_folder", kernel_folder)
    code = object_code.Code("function", ("needed",), b"code")
    object_code.write_code("kernel", code)
    assert object_code.read_code("kernel") == code
    (cache / "kernel").chmod(0o666)
    assert object_code.read_code("kernel") is None
    object_code.write_code("kernel", code)
    assert object_code.read_code("kernel") == code
